#include "app/window/shell/start_page.h"

#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "panels/qt/qt_theme.h"

namespace headroom {

static QLabel* make_label(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    label->setWordWrap(true);
    return label;
}

StartPage::StartPage(QWidget* parent)
    : QWidget(parent),
      demo_(new QPushButton(tr("Open the demo study"))),
      recent_box_(new QWidget),
      recent_(new QListWidget) {
    setObjectName("panelSurface");
    setAttribute(Qt::WA_StyledBackground);
    auto* open = new QPushButton(tr("Open a study…"));
    auto* create = new QPushButton(tr("New study…"));
    auto* gallery = new QPushButton(tr("Studies of the papers…"));
    demo_->setDefault(true);
    demo_->setObjectName("openDemo");
    open->setObjectName("openStudy");
    create->setObjectName("newStudy");
    gallery->setObjectName("gallery");

    auto* icon = new QLabel;
    icon->setFixedSize(56, 56);
    icon->setPixmap(QIcon(":/headroom/icons/headroom.svg").pixmap(56, 56));
    auto* title = make_label(tr("Headroom Studio"), "title");
    auto* head = new QHBoxLayout;
    head->setSpacing(16);
    head->addWidget(icon);
    head->addWidget(title, 1);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(10);
    for (QPushButton* button : {demo_, gallery, open, create}) buttons->addWidget(button);
    buttons->addStretch(1);

    recent_->setObjectName("recentStudies");
    recent_->setAccessibleName(tr("Recent studies"));
    recent_->setFrameShape(QFrame::NoFrame);
    recent_->setMaximumHeight(260);
    auto* recent_column = new QVBoxLayout(recent_box_);
    recent_column->setContentsMargins(0, 14, 0, 0);
    recent_column->addWidget(make_label(tr("Recent studies"), "heading"));
    recent_column->addWidget(recent_);

    auto* column = new QVBoxLayout;
    column->setSpacing(14);
    column->addLayout(head);
    column->addWidget(make_label(
        tr("Train attention variants side by side on the same batches and see where they differ. "
           "The demo study trains a baseline, a model without query projections and a "
           "SkipV1Former in about three minutes; or drop a study folder "
           "or a checkpoint on this window."),
        "muted"));
    column->addLayout(buttons);
    column->addWidget(recent_box_);

    constexpr int kWidth = 620;
    auto* box = new QWidget;
    box->setFixedWidth(kWidth);
    box->setLayout(column);
    auto* page = new QGridLayout(this);
    page->setRowStretch(0, 2);
    page->addWidget(box, 1, 0, Qt::AlignHCenter);
    page->setRowStretch(2, 3);

    connect(demo_, &QPushButton::clicked, this, &StartPage::demo_asked);
    connect(open, &QPushButton::clicked, this, &StartPage::open_asked);
    connect(create, &QPushButton::clicked, this, &StartPage::new_asked);
    connect(gallery, &QPushButton::clicked, this, &StartPage::gallery_asked);
    const auto open_item = [this](QListWidgetItem* item) {
        emit recent_asked(item->data(Qt::UserRole).toString());
    };
    connect(recent_, &QListWidget::itemClicked, this, open_item);
    connect(recent_, &QListWidget::itemActivated, this, open_item);
    set_recent({});
}

void StartPage::set_recent(const QStringList& folders) {
    recent_->clear();
    for (const QString& folder : folders) {
        QString place = QFileInfo(folder).path();
        if (place.startsWith(QDir::homePath())) place.replace(0, QDir::homePath().size(), "~");
        auto* item = new QListWidgetItem(QFileInfo(folder).fileName() + "   in " + place);
        item->setData(Qt::UserRole, folder);
        item->setToolTip(folder);
        recent_->addItem(item);
    }
    recent_box_->setVisible(!folders.isEmpty());
}

}  // namespace headroom
