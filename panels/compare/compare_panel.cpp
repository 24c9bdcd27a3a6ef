#include "panels/compare/compare_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "panels/architecture/architecture_layout.h"
#include "panels/architecture/architecture_page.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/qt/count_table.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

ComparePanel::ComparePanel(QWidget* parent)
    : QWidget(parent),
      name_(new QLabel),
      choice_(new QComboBox),
      export_(new QToolButton),
      note_(new QLabel),
      pictures_(new QSplitter),
      model_(new DrawingCanvas),
      baseline_(new DrawingCanvas),
      table_(new QTreeWidget) {
    choice_->setObjectName("compareWith");
    choice_->setToolTip(
        tr("The baseline. Two runs selected in the list are compared with each "
           "other: the upper one is the baseline"));
    choice_->setPlaceholderText(tr("choose…"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(14);
    export_->setText(tr("Export…"));
    export_->setObjectName("exportComparison");
    export_->setToolTip(tr("Write both pictures to PDF, SVG, PNG or CSV"));
    note_->setProperty("role", "muted");
    note_->setWordWrap(true);
    note_->setContentsMargins(8, 2, 8, 4);
    table_->setObjectName("comparison");
    table_->setAccessibleName(tr("Differences"));
    model_->setAccessibleName(tr("Picture of the model"));
    baseline_->setAccessibleName(tr("Picture of the baseline"));
    table_->setColumnCount(4);
    style_count_table(*table_);

    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    auto* with = new QLabel(tr("against"));
    with->setBuddy(choice_);
    for (QWidget* widget : std::initializer_list<QWidget*>{name_, with, choice_, export_})
        flow->addWidget(widget);
    pictures_->addWidget(model_);
    pictures_->addWidget(baseline_);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(pictures_);
    splitter->addWidget(table_);
    // Shares, not pixels: Qt scales them to what there is.
    pictures_->setSizes({1000, 1000});
    splitter->setSizes({1200, 1000});
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip);
    column->addWidget(note_);
    column->addWidget(splitter, 1);
    connect(choice_, &QComboBox::activated, this, &ComparePanel::choice_changed);
    DrawingCanvas::join(*model_, *baseline_);
    for (DrawingCanvas* canvas : {model_, baseline_})
        connect(canvas, &DrawingCanvas::resized, this, &ComparePanel::draw);
    connect(export_, &QToolButton::clicked, this, &ComparePanel::export_asked);
    set_view({});
}

void ComparePanel::set_view(CompareView view) {
    view_ = std::move(view);
    name_->setText(QString::fromStdString(view_.model_name));
    note_->setText(QString::fromStdString(view_.note));
    note_->setVisible(!view_.note.empty());
    export_->setEnabled(!view_.empty());
    fill_table();
    table_->setVisible(!view_.empty());
    draw();
}

void ComparePanel::set_choices(const std::vector<std::pair<std::string, std::string>>& choices) {
    if (choices == choices_) return;  // an open list stays open
    choices_ = choices;
    const QSignalBlocker blocker(choice_);
    const QString chosen = choice_->currentData().toString();
    choice_->clear();
    for (const auto& [id, name] : choices)
        choice_->addItem(QString::fromStdString(name), QString::fromStdString(id));
    const int at = choice_->findData(chosen);
    choice_->setCurrentIndex(at);
}

std::string ComparePanel::choice() const {
    return choice_->currentData().toString().toStdString();
}

void ComparePanel::choose(const std::string& id) {
    const QSignalBlocker blocker(choice_);
    choice_->setCurrentIndex(choice_->findData(QString::fromStdString(id)));
}

void ComparePanel::set_empty_text(const QString& text) {
    model_->set_empty_text(text);
}

void ComparePanel::set_theme(const Theme& theme) {
    model_->set_theme(theme);
    baseline_->set_theme(theme);
    fill_table();
}

/// Side by side, or one below the other in a narrow, high dock.
void ComparePanel::resizeEvent(QResizeEvent*) {
    const bool narrow = height() > 2 * width();
    pictures_->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
}

void ComparePanel::fill_table() {
    table_->clear();
    table_->setHeaderLabels({"", QString::fromStdString(view_.model_name),
                             QString::fromStdString(view_.baseline_name), tr("Difference")});
    for (int i = 1; i < 4; ++i)
        table_->headerItem()->setTextAlignment(i, Qt::AlignRight | Qt::AlignVCenter);
    const QColor accent = to_qcolor(current_theme().accent);
    for (const CompareSection& section : view_.sections) {
        auto* head = new QTreeWidgetItem(table_, {QString::fromStdString(section.title)});
        QFont bold = table_->font();
        bold.setWeight(QFont::DemiBold);
        head->setFont(0, bold);
        head->setFirstColumnSpanned(true);
        for (const CompareRow& row : section.rows) {
            auto* item = new QTreeWidgetItem(
                head,
                {QString::fromStdString(row.name), QString::fromStdString(row.model),
                 QString::fromStdString(row.baseline), QString::fromStdString(row.difference)});
            for (int i = 0; i < 4; ++i) {
                if (i > 0) item->setTextAlignment(i, Qt::AlignRight | Qt::AlignVCenter);
                if (row.differs) item->setForeground(i, accent);
                if (!row.hint.empty()) item->setToolTip(i, QString::fromStdString(row.hint));
            }
        }
        head->setExpanded(true);
    }
}

void ComparePanel::draw() {
    if (view_.empty()) {
        model_->show_drawing({});
        baseline_->show_drawing({});
        baseline_->hide();
        return;
    }
    baseline_->show();
    ArchitectureOptions options;
    options.title = true;
    options.note = false;
    options.most_rows = rows_for_height(std::min(model_->height(), baseline_->height()));
    ComparedLayouts both = lay_out_compared(view_.model, view_.baseline, options);
    model_->show_drawing(std::move(both.model));
    baseline_->show_drawing(std::move(both.baseline));
}

FigurePage ComparePanel::page() const {
    ArchitecturePageOptions options;
    options.mark_differences = true;
    return architecture_page({view_.model, view_.baseline}, options,
                             "Drawn by headroom from the configurations of " + view_.model_name +
                                 " and " + view_.baseline_name);
}

}  // namespace headroom
