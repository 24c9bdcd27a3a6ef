#include "panels/details/details_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace headroom {

DetailsPanel::DetailsPanel(QWidget* parent) : QWidget(parent), tree_(new QTreeWidget) {
    tree_->setColumnCount(2);
    tree_->setHeaderHidden(true);
    tree_->setRootIsDecorated(false);
    tree_->setIndentation(10);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setObjectName("runDetails");
    tree_->setAccessibleName(tr("Details of the selected run"));
    tree_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    auto* copy = new QAction(tr("Copy"), tree_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, [this] {
        if (const QTreeWidgetItem* item = tree_->currentItem())
            QGuiApplication::clipboard()->setText(item->text(1));
    });
    tree_->addAction(copy);
    tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(tree_);
}

void DetailsPanel::set_details(std::vector<DetailSection> sections) {
    if (sections == shown_) return;
    const auto same_titles = [&] {
        if (sections.size() != shown_.size()) return false;
        for (size_t i = 0; i < sections.size(); ++i)
            if (sections[i].title != shown_[i].title ||
                sections[i].lines.size() != shown_[i].lines.size())
                return false;
        return true;
    };
    // Values that change while a run works are written in place: nothing scrolls or flickers.
    const bool in_place = same_titles();
    if (!in_place) tree_->clear();
    for (size_t i = 0; i < sections.size(); ++i) {
        QTreeWidgetItem* head =
            in_place ? tree_->topLevelItem(static_cast<int>(i)) : new QTreeWidgetItem(tree_);
        head->setText(0, QString::fromStdString(sections[i].title));
        QFont bold = tree_->font();
        bold.setWeight(QFont::DemiBold);
        head->setFont(0, bold);
        for (size_t j = 0; j < sections[i].lines.size(); ++j) {
            QTreeWidgetItem* item =
                in_place ? head->child(static_cast<int>(j)) : new QTreeWidgetItem(head);
            item->setText(0, QString::fromStdString(sections[i].lines[j].name));
            item->setText(1, QString::fromStdString(sections[i].lines[j].value));
            item->setToolTip(1, item->text(1));
        }
        head->setExpanded(true);
    }
    shown_ = std::move(sections);
}

}  // namespace headroom
