#include "app/window/dialogs/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

#include "panels/qt/panel.h"

namespace headroom {
namespace {

QString without_marks(QString text) {
    return text.remove('&');
}

/// The menu that shows the action, if one does.
const QMenu* menu_of(const QAction& action) {
    for (const QObject* shown : action.associatedObjects())
        if (const auto* menu = qobject_cast<const QMenu*>(shown)) return menu;
    return nullptr;
}

/// "Go to Memory" says its place itself.
bool leads_somewhere(const QAction& action) {
    return action.objectName().startsWith("go:") || action.objectName().startsWith("activity:");
}

}  // namespace

QString CommandPalette::place_of(const QAction& action) {
    if (leads_somewhere(action)) return {};
    const QMenu* menu = menu_of(action);
    for (const QObject* from :
         {static_cast<const QObject*>(&action), static_cast<const QObject*>(menu)})
        for (const QObject* at = from; at; at = at->parent())
            if (const auto* panel = qobject_cast<const Panel*>(at)) return panel->title();
    QStringList titles;
    for (; menu && !menu->title().isEmpty(); menu = menu_of(*menu->menuAction()))
        titles.prepend(without_marks(menu->title()));
    if (!titles.isEmpty()) return titles.join(" ▸ ");
    for (const QObject* at = &action; at; at = at->parent())
        if (const auto* widget = qobject_cast<const QWidget*>(at);
            widget && !widget->accessibleName().isEmpty())
            return widget->accessibleName();
    return {};
}

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      line_(new QLineEdit),
      list_(new QListWidget) {
    for (QAction* action : actions)
        if (!action->text().isEmpty() && action->isEnabled() && action->isVisible() &&
            !action->menu() && !actions_.contains(action))
            actions_.append(action);
    setObjectName("commandPalette");
    line_->setPlaceholderText(tr("Find a command"));
    line_->installEventFilter(this);
    list_->setFrameShape(QFrame::NoFrame);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(line_);
    layout->addWidget(list_);
    connect(line_, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(line_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
    fill({});
    line_->setFocus();  // a popup gives its keys to the child that has its focus
    constexpr QSize kSize(460, 340);
    resize(kSize);
    if (parent) move(parent->mapToGlobal(QPoint((parent->width() - kSize.width()) / 2, 60)));
}

bool CommandPalette::matches(const QString& text, const QString& typed) {
    qsizetype at = 0;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        at = text.indexOf(letter, at, Qt::CaseInsensitive) + 1;
        if (at == 0) return false;
    }
    return true;
}

/// A page by its name comes first; else where the letters stand together, and the nearer to the
/// front, the better.
static qsizetype distance(const QAction& action, const QString& text, const QString& typed) {
    const QString words = typed.trimmed();
    const bool is_page = action.objectName().startsWith("go:");
    if (is_page && text.endsWith(" " + words, Qt::CaseInsensitive)) return -1;
    const qsizetype at = text.indexOf(words, 0, Qt::CaseInsensitive);
    return at < 0 ? text.size() : at;
}

void CommandPalette::fill(const QString& typed) {
    std::vector<std::pair<QString, int>> found;
    for (qsizetype i = 0; i < actions_.size(); ++i) {
        const QString text = without_marks(actions_[i]->text());
        if (matches(text + " " + place_of(*actions_[i]), typed))
            found.emplace_back(text, static_cast<int>(i));
    }
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return distance(*actions_[a.second], a.first, typed) <
               distance(*actions_[b.second], b.first, typed);
    });
    list_->clear();
    for (const auto& [text, i] : found) {
        QString line = text;
        if (const QString place = place_of(*actions_[i]); !place.isEmpty()) line += " – " + place;
        const QString keys = actions_[i]->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(keys.isEmpty() ? line : line + "    " + keys);
        item->setData(Qt::UserRole, i);
        list_->addItem(item);
    }
    list_->setCurrentRow(0);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item) return;
    QAction* action = actions_[item->data(Qt::UserRole).toInt()];
    accept();
    // After this dialog is gone: the command may open one of its own.
    QMetaObject::invokeMethod(action, &QAction::trigger, Qt::QueuedConnection);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0 && list_->count() > 0) {
            list_->setCurrentRow((list_->currentRow() + step + list_->count()) % list_->count());
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace headroom
