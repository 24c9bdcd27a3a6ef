#include "panels/figures/figures_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QMenu>
#include <QPainter>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "panels/figures/figure_controls.h"
#include "panels/figures/page_preview.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

constexpr QSize kThumbnail(168, 116);

/// The page in small, or a word on why there is none.
QIcon thumbnail_of(const QImage& page, const QString& word) {
    if (!page.isNull())
        return QIcon(QPixmap::fromImage(
            page.scaled(kThumbnail * 2, Qt::KeepAspectRatio, Qt::SmoothTransformation)));
    QPixmap ground(kThumbnail);
    ground.fill(to_qcolor(current_theme().raised));
    QPainter painter(&ground);
    painter.setPen(to_qcolor(current_theme().muted));
    painter.drawText(ground.rect(), Qt::AlignCenter, word);
    return QIcon(ground);
}

std::string name_of(const QListWidgetItem* item) {
    return item ? item->data(Qt::UserRole).toString().toStdString() : std::string();
}

}  // namespace

FiguresPanel::FiguresPanel(const std::vector<RecipeInfo>& recipes)
    : controls_(new FigureControls(recipes)),
      gallery_(new QListWidget),
      preview_(new PagePreview),
      zoom_(new QComboBox) {
    lay_out();
    add_recipes(new_, recipes);
    connect(gallery_, &QListWidget::currentItemChanged, this, &FiguresPanel::take_choice);
    connect(preview_, &PagePreview::zoom_changed, this, &FiguresPanel::show_zoom);
    connect(zoom_, &QComboBox::activated, this,
            [this](int index) { preview_->set_zoom(zoom_->itemData(index).toDouble()); });
    show_page();
}

void FiguresPanel::lay_out() {
    gallery_->setObjectName("figureGallery");
    gallery_->setAccessibleName(tr("Figures of the study"));
    gallery_->setViewMode(QListView::IconMode);
    gallery_->setFlow(QListView::TopToBottom);
    gallery_->setWrapping(false);
    gallery_->setMovement(QListView::Static);
    gallery_->setIconSize(kThumbnail);
    gallery_->setSpacing(4);
    gallery_->setMinimumWidth(kThumbnail.width() + 24);
    gallery_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    zoom_->setObjectName("figureZoom");
    zoom_->setAccessibleName(tr("Size of the page"));
    zoom_->addItem(tr("Fit"), 0.0);
    for (const int per_cent : {50, 75, 100, 150, 200})
        zoom_->addItem(tr("%1 %").arg(per_cent), per_cent / 100.0);
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(preview_, 1);
    auto* parts = new QSplitter;
    parts->addWidget(gallery_);
    parts->addWidget(right);
    parts->setStretchFactor(1, 1);
    parts->setSizes({gallery_->minimumWidth(), 1000});
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(parts);
}

QWidget* FiguresPanel::make_strip() {
    auto* strip = new QWidget;
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(6, 4, 6, 4);
    new_ = add_button(row, "newFigure", tr("New figure"), tr("A figure of another kind"));
    connect(add_button(row, "duplicateFigure", tr("Duplicate"), tr("A copy to change")),
            &QToolButton::clicked, this, &FiguresPanel::duplicate_asked);
    connect(add_button(row, "removeFigure", tr("Remove"),
                       tr("Out of study.json; what was written stays (Ctrl+Z undoes)")),
            &QToolButton::clicked, this, &FiguresPanel::remove_asked);
    add_move(row, "figureEarlier", tr("▲"), tr("Earlier among the figures, and in the report"),
             Qt::Key_Up, -1);
    add_move(row, "figureLater", tr("▼"), tr("Later among the figures, and in the report"),
             Qt::Key_Down, +1);
    connect(add_button(row, "redrawFigure", tr("Redraw"), tr("Draw it anew (Ctrl+Return)")),
            &QToolButton::clicked, this, &FiguresPanel::redraw_asked);
    row->addStretch(1);
    row->addWidget(zoom_);
    return strip;
}

QToolButton* FiguresPanel::add_button(QHBoxLayout* row, const QString& name, const QString& text,
                                      const QString& help) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(help);
    row->addWidget(button);
    return button;
}

void FiguresPanel::add_move(QHBoxLayout* row, const QString& name, const QString& text,
                            const QString& help, Qt::Key key, int by) {
    const QKeySequence keys(QKeyCombination(Qt::AltModifier, key));
    QToolButton* button = add_button(
        row, name, text, tr("%1 (%2)").arg(help, keys.toString(QKeySequence::NativeText)));
    button->setAccessibleName(help);
    button->setShortcut(keys);
    connect(button, &QToolButton::clicked, this, [this, by] { emit move_asked(by); });
}

void FiguresPanel::add_recipes(QToolButton* button, const std::vector<RecipeInfo>& recipes) {
    auto* menu = new QMenu(button);
    for (const RecipeInfo& recipe : recipes) {
        // Found among all commands, too, where its name alone would say that it leads somewhere.
        QAction* action =
            menu->addAction(tr("New figure: %1").arg(QString::fromStdString(recipe.name)), this,
                            [this, name = recipe.name] { emit add_asked(name); });
        action->setData(QString::fromStdString(recipe.name));
        action->setToolTip(QString::fromStdString(recipe.help));
    }
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
}

void FiguresPanel::set_names(const std::vector<std::string>& names, const std::string& chosen) {
    const auto stood = std::find(names_.begin(), names_.end(), chosen);
    const auto row = stood == names_.end() ? 0 : static_cast<int>(stood - names_.begin());
    if (names != names_) {
        names_ = names;
        filling_ = true;
        gallery_->clear();
        for (const std::string& name : names_) {
            auto* item = new QListWidgetItem(QString::fromStdString(name), gallery_);
            item->setData(Qt::UserRole, item->text());
            item->setSizeHint(kThumbnail + QSize(8, 28));
            dress(item);
        }
        filling_ = false;
    }
    QListWidgetItem* item = item_of(chosen);
    gallery_->setCurrentItem(item ? item : gallery_->item(std::min(row, gallery_->count() - 1)));
    take_choice();
}

QListWidgetItem* FiguresPanel::item_of(const std::string& name) const {
    for (int i = 0; i < gallery_->count(); ++i)
        if (name_of(gallery_->item(i)) == name) return gallery_->item(i);
    return nullptr;
}

void FiguresPanel::dress(QListWidgetItem* item) {
    const Picture& picture = pictures_[name_of(item)];
    const bool failed = !picture.problem.isEmpty();
    item->setIcon(thumbnail_of(picture.page, failed ? tr("not drawn") : tr("to be drawn")));
    item->setToolTip(failed ? picture.problem : item->text());
}

void FiguresPanel::set_picture(const std::string& name, const QImage& page,
                               const QString& problem) {
    pictures_[name] = {page, problem};
    if (QListWidgetItem* item = item_of(name)) dress(item);
    if (name == chosen_) show_page();
}

bool FiguresPanel::has_page() const {
    const auto found = pictures_.find(chosen_);
    return found != pictures_.end() && !found->second.page.isNull();
}

void FiguresPanel::take_choice() {
    const std::string now = name_of(gallery_->currentItem());
    if (filling_ || now == chosen_) return;
    chosen_ = now;
    show_page();
    emit choice_changed();
}

void FiguresPanel::show_page() {
    const Picture& picture = pictures_[chosen_];
    if (chosen_.empty())
        preview_->set_message(
            tr("This study has no figures yet. “New figure” makes one, and so "
               "does “+ Figure” in every other view."));
    else if (!picture.problem.isEmpty())
        preview_->set_message(picture.problem);
    else if (picture.page.isNull())
        preview_->set_message(tr("Drawing…"));
    else
        preview_->set_page(picture.page, kDotsPerInch);
}

void FiguresPanel::show_zoom(double zoom) {
    const int index = zoom_->findData(zoom);
    zoom_->setCurrentIndex(index);
    if (index < 0) zoom_->setPlaceholderText(tr("%1 %").arg(std::lround(zoom * 100)));
}

}  // namespace headroom
