#include "panels/run_list/run_list.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollBar>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "panels/qt/elided_name.h"
#include "panels/run_list/run_edits.h"
#include "panels/run_list/run_list_icons.h"

namespace headroom {
namespace {

constexpr int kIdRole = Qt::UserRole;
constexpr int kWholeRole = Qt::UserRole + 1;  ///< of a heading: all its runs are selected
constexpr int kFoldedWidth = 42, kLeastWidth = 150;
constexpr int kDotWidth = 20;  // of the mark that a row begins with

/// Paints names that are too long for their column in two lines, as name_lines() has them.
class NameDelegate : public QStyledItemDelegate {
  public:
    explicit NameDelegate(QTreeView* tree) : QStyledItemDelegate(tree), tree_(tree) {}

    /// The tree asks without telling how wide the row is.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem in_column = option;
        in_column.rect = QRect(0, 0, room_for(index), kDotWidth);
        return QStyledItemDelegate::sizeHint(in_column, index);
    }

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!option->text.isEmpty())
            option->text = lines_of(*option, index).join(QChar::LineSeparator);
        option->textElideMode = Qt::ElideNone;
    }

  private:
    /// The width of the row as the tree lays it out.
    int room_for(const QModelIndex& index) const {
        int level = tree_->rootIsDecorated() ? 1 : 0;
        for (QModelIndex up = index.parent(); up.isValid(); up = up.parent()) ++level;
        return tree_->columnWidth(index.column()) - level * tree_->indentation();
    }

    QStringList lines_of(QStyleOptionViewItem option, const QModelIndex& index) const {
        QStyledItemDelegate::initStyleOption(&option, index);
        if (option.text.isEmpty()) return {};
        const QStyle& style = *tree_->style();
        // The style leaves a margin on both sides of the text.
        const int margin = style.pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, tree_) + 1;
        option.widget = tree_;
        const QRect text = style.subElementRect(QStyle::SE_ItemViewItemText, &option, tree_);
        return name_lines(option.text, option.fontMetrics, text.width() - 2 * margin);
    }

    const QTreeView* tree_;
};

}  // namespace

RunList::RunList()
    : filter_(new QLineEdit),
      tree_(new QTreeWidget),
      edits_(new RunEdits(this)),
      theme_(light_theme()) {
    setObjectName("runList");
    setAttribute(Qt::WA_StyledBackground);
    filter_->setObjectName("runFilter");
    filter_->setPlaceholderText(tr("Filter runs"));
    filter_->setAccessibleName(tr("Filter runs"));
    filter_->setClearButtonEnabled(true);
    tree_->setObjectName("runTree");
    tree_->setAccessibleName(tr("Runs: eye is shown, star is the reference"));
    tree_->setColumnCount(3);
    tree_->header()->hide();
    tree_->header()->setMinimumSectionSize(20);
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(kName, QHeaderView::Stretch);
    for (const int column : {kEye, kStar}) {
        tree_->header()->setSectionResizeMode(column, QHeaderView::Fixed);
        tree_->header()->resizeSection(column, 26);
    }
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setIndentation(12);
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    tree_->setItemDelegateForColumn(kName, new NameDelegate(tree_));
    // Names take one line or two by the room that they have.
    connect(tree_->header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (column == kName) tree_->doItemsLayout();
    });
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->installEventFilter(this);
    tree_->viewport()->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 6, 0, 0);
    column->setSpacing(4);
    column->addWidget(filter_);
    column->addWidget(tree_, 1);
    setMinimumWidth(kLeastWidth);
    connect(filter_, &QLineEdit::textChanged, this, [this] {
        revealed_.clear();
        fill();
    });
    connect(tree_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        edits_->show_menu(selected_ids(), tree_->viewport()->mapToGlobal(at));
    });
    connect(edits_, &RunEdits::hidden_asked, this, &RunList::hidden_asked);
    connect(edits_, &RunEdits::reference_asked, this, &RunList::reference_asked);
    connect(edits_, &RunEdits::removal_asked, this, &RunList::removal_asked);
    connect(edits_, &RunEdits::label_asked, this, &RunList::label_asked);
    connect(tree_, &QTreeWidget::itemSelectionChanged, this, [this] {
        if (filling_) return;
        settle_headings();
        const std::vector<std::string> ids = selected_ids();
        if (ids.empty()) return select_shown();  // one run is always selected
        emit selection_asked(ids);
    });
}

void RunList::set_study(const StudyLook& look) {
    std::vector<RunListGroup> groups = build_run_list(look);
    const bool same = groups == groups_;
    look_ = look;
    edits_->set_study(look);
    groups_ = std::move(groups);
    if (!same) return fill();
    if (selected_ids() != look_.selected) return select_shown();
    revealed_ = look_.selected;  // who clicked it has it in sight
}

void RunList::set_theme(const Theme& theme) {
    theme_ = theme;
    edits_->set_theme(theme);
    fill();
}

void RunList::set_folded(bool folded) {
    folded_ = folded;
    filter_->setVisible(!folded);
    tree_->setColumnHidden(kEye, folded);
    tree_->setColumnHidden(kStar, folded);
    tree_->setRootIsDecorated(!folded);
    tree_->setIndentation(folded ? 0 : 12);
    setMinimumWidth(folded ? kFoldedWidth : kLeastWidth);
    setMaximumWidth(folded ? kFoldedWidth : QWIDGETSIZE_MAX);
    fill();
}

void RunList::fill() {
    filling_ = true;
    const int scrolled = tree_->verticalScrollBar()->value();
    tree_->clear();
    const std::string filter = filter_->text().toStdString();
    for (const RunListGroup& group : groups_) {
        std::vector<const RunListRow*> rows;
        for (const RunListRow& row : group.rows)
            if (passes_filter(group, row, filter)) rows.push_back(&row);
        if (rows.empty()) continue;
        if (group.rows.size() == 1 || folded_) {
            for (const RunListRow* row : rows) add_row(tree_->invisibleRootItem(), *row, row->name);
            continue;
        }
        RunListRow heading;
        heading.color = rows.front()->color;
        const auto shown = static_cast<size_t>(
            std::count_if(rows.begin(), rows.end(), [](auto* row) { return row->shown; }));
        heading.shown = shown > 0;
        heading.tip = group.name + "\n" + std::to_string(group.rows.size()) +
                      " runs that differ in their seed alone";
        auto* parent = add_row(tree_->invisibleRootItem(), heading,
                               group.name + "  ×" + std::to_string(group.rows.size()));
        if (heading.shown && shown < rows.size()) dress_half_shown(parent, shown, rows.size());
        for (const RunListRow* row : rows) add_row(parent, *row, row->name);
        parent->setExpanded(true);
    }
    tree_->doItemsLayout();
    tree_->verticalScrollBar()->setValue(scrolled);
    filling_ = false;
    select_shown();
}

QTreeWidgetItem* RunList::add_row(QTreeWidgetItem* parent, const RunListRow& row,
                                  const std::string& name) {
    auto* item = new QTreeWidgetItem(parent);
    if (!folded_) item->setText(kName, QString::fromStdString(name));
    item->setData(kName, kIdRole, QString::fromStdString(row.id));
    item->setToolTip(kName, QString::fromStdString(row.tip));
    item->setData(kName, Qt::AccessibleTextRole,
                  QString::fromStdString(name) + (row.shown ? tr(", shown") : tr(", hidden")) +
                      (row.reference ? tr(", reference") : QString()));
    dress(item, row);
    return item;
}

void RunList::dress(QTreeWidgetItem* item, const RunListRow& row) {
    const double ratio = devicePixelRatioF();
    item->setIcon(kName, run_dot(row.color, row.shade, row.shown, theme_, ratio));
    item->setIcon(kEye, eye_icon(row.shown ? Eye::kOpen : Eye::kClosed, theme_, ratio));
    item->setToolTip(
        kEye, row.shown ? tr("Shown; click hides it (E)") : tr("Hidden; click shows it (E)"));
    if (row.id.empty()) return;
    item->setIcon(kStar, star_icon(row.reference, theme_, ratio));
    item->setToolTip(kStar, row.reference ? tr("The reference of every difference")
                                          : tr("Click makes it the reference (R)"));
}

void RunList::dress_half_shown(QTreeWidgetItem* heading, size_t shown, size_t all) {
    heading->setIcon(kEye, eye_icon(Eye::kHalfOpen, theme_, devicePixelRatioF()));
    heading->setToolTip(kEye,
                        tr("%1 of %2 are shown; click shows all of them (E)").arg(shown).arg(all));
    heading->setData(kName, Qt::AccessibleTextRole,
                     tr("%1, %2 of %3 shown").arg(heading->text(kName)).arg(shown).arg(all));
}

/// What a person did to the heading of a variant is done to its runs; otherwise a heading is
/// selected where all its runs are, so that what is highlighted is what is selected.
void RunList::settle_headings() {
    filling_ = true;
    for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* heading = tree_->topLevelItem(i);
        if (heading->childCount() == 0) continue;
        int chosen = 0;
        for (int n = 0; n < heading->childCount(); ++n) chosen += heading->child(n)->isSelected();
        const bool was = heading->data(kName, kWholeRole).toBool(), is = heading->isSelected();
        const bool meant = tree_->currentItem() == heading && is != was;  // no range across it
        bool whole = chosen == heading->childCount();
        if (meant || (is && chosen == 0)) {
            whole = is;
            for (int n = 0; n < heading->childCount(); ++n) heading->child(n)->setSelected(is);
        }
        heading->setSelected(whole);
        heading->setData(kName, kWholeRole, whole);
    }
    filling_ = false;
}

/// Scrolls to what is selected where that is new, and nowhere else: who looks further down does
/// so still.
void RunList::select_shown() {
    filling_ = true;
    const bool reveals = std::exchange(revealed_, look_.selected) != look_.selected;
    tree_->setAutoScroll(reveals);
    tree_->clearSelection();
    bool first = true;
    for (QTreeWidgetItemIterator it(tree_); *it; ++it) {
        const std::string id = (*it)->data(kName, kIdRole).toString().toStdString();
        if (id.empty() ||
            std::find(look_.selected.begin(), look_.selected.end(), id) == look_.selected.end())
            continue;
        if (first) tree_->setCurrentItem(*it, kName, QItemSelectionModel::NoUpdate);
        if (!first && reveals) tree_->scrollToItem(*it);
        first = false;
        (*it)->setSelected(true);
    }
    for (int i = 0; i < tree_->topLevelItemCount(); ++i)
        if (tree_->topLevelItem(i)->childCount() > 0) tree_->topLevelItem(i)->setSelected(false);
    settle_headings();
    if (!first && reveals) tree_->scrollToItem(tree_->currentItem());
    tree_->setAutoScroll(true);
    filling_ = false;
}

std::vector<std::string> RunList::ids_of(const QTreeWidgetItem* item) const {
    const std::string id = item->data(kName, kIdRole).toString().toStdString();
    if (!id.empty()) return {id};
    std::vector<std::string> ids;
    for (int i = 0; i < item->childCount(); ++i)
        ids.push_back(item->child(i)->data(kName, kIdRole).toString().toStdString());
    return ids;
}

/// In the order of the study.
std::vector<std::string> RunList::selected_ids() const {
    std::set<std::string> chosen;
    for (const QTreeWidgetItem* item : tree_->selectedItems())
        chosen.insert(item->data(kName, kIdRole).toString().toStdString());
    std::vector<std::string> ids;
    for (const RunPointer& run : look_.runs())
        if (chosen.contains(run->id)) ids.push_back(run->id);
    return ids;
}

/// On the marks: they leave the selection as it is. True if there is one.
bool RunList::click_mark(const QPoint& at) {
    const int column = tree_->columnAt(at.x());
    const QTreeWidgetItem* item = tree_->itemAt(at);
    if (!item || column < kName) return false;
    const std::vector<std::string> ids = ids_of(item);
    if (column == kName) {
        if (folded_) return false;
        const QRect row = tree_->visualItemRect(item);
        if (at.x() < row.left() || at.x() > row.left() + kDotWidth) return false;
        edits_->ask_color(ids, tree_->viewport()->mapToGlobal(row.bottomLeft()));
    }
    if (column == kEye) edits_->toggle(ids);
    if (column == kStar && ids.size() == 1) emit reference_asked(ids[0]);
    return true;
}

/// The marks for the mouse, and all of it for the keyboard.
bool RunList::eventFilter(QObject* watched, QEvent* event) {
    if (watched == tree_->viewport() && event->type() == QEvent::MouseButtonPress) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && click_mark(mouse->position().toPoint()))
            return true;
    }
    if (watched == tree_ && event->type() == QEvent::KeyPress) {
        const QTreeWidgetItem* item = tree_->currentItem();
        const QPoint below = item ? tree_->visualItemRect(item).bottomLeft() : QPoint();
        if (edits_->press_key(*static_cast<QKeyEvent*>(event), selected_ids(),
                              tree_->viewport()->mapToGlobal(below)))
            return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace headroom
