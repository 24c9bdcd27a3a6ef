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

#include "app/window/shell/window_menus.h"
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

/// "View ▸ Theme".
QString path_of(const QMenu* menu) {
    QStringList titles;
    for (; menu && !menu->title().isEmpty(); menu = menu_of(*menu->menuAction()))
        titles.prepend(without_marks(menu->title()));
    return titles.join(" ▸ ");
}

/// The first name that `name_of` gives an object or what is around it.
template <class NameOf>
QString name_around(const QObject* object, NameOf name_of) {
    for (; object; object = object->parent())
        if (QString name = name_of(*object); !name.isEmpty()) return name;
    return {};
}

QString page_title(const QObject& object) {
    const auto* panel = qobject_cast<const Panel*>(&object);
    return panel ? panel->title() : QString();
}

QString accessible_name(const QObject& object) {
    const auto* widget = qobject_cast<const QWidget*>(&object);
    return widget ? widget->accessibleName() : QString();
}

}  // namespace

QString CommandPalette::place_of(const QAction& action) {
    if (leads_to_page(action)) return {};  // and says so
    const QMenu* menu = menu_of(action);
    for (const QString& place :
         {name_around(&action, page_title), name_around(menu, page_title), path_of(menu)})
        if (!place.isEmpty()) return place;
    return name_around(&action, accessible_name);
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

static QStringList words_of(const QString& typed) {
    return typed.simplified().split(' ', Qt::SkipEmptyParts);
}

static bool has_letters(const QString& text, const QString& word) {
    qsizetype at = 0;
    for (const QChar letter : word) {
        at = text.indexOf(letter, at, Qt::CaseInsensitive) + 1;
        if (at == 0) return false;
    }
    return true;
}

bool CommandPalette::matches(const QString& text, const QString& typed) {
    const QStringList words = words_of(typed);
    return std::all_of(words.begin(), words.end(),
                       [&](const QString& word) { return has_letters(text, word); });
}

/// A page by its name comes first; then where the letters stand together, and the nearer to the
/// front, the better; then where the words stand whole, in the command's text or in its place.
static qsizetype distance(const QAction& action, const QString& text, const QString& place,
                          const QString& typed) {
    constexpr qsizetype kBeyondAnyText = 1000;
    const QString phrase = typed.trimmed();
    const bool is_page = action.objectName().startsWith("go:");
    if (is_page && text.endsWith(" " + phrase, Qt::CaseInsensitive)) return -1;
    const qsizetype at = text.indexOf(phrase, 0, Qt::CaseInsensitive);
    if (at >= 0) return at;
    qsizetype far = text.size();
    for (const QString& word : words_of(typed))
        if (!(text + " " + place).contains(word, Qt::CaseInsensitive)) far += kBeyondAnyText;
    return far;
}

void CommandPalette::fill(const QString& typed) {
    struct Found {
        QString text, place;
        int index;
    };
    std::vector<Found> found;
    for (qsizetype i = 0; i < actions_.size(); ++i) {
        const QString text = without_marks(actions_[i]->text()), place = place_of(*actions_[i]);
        if (matches(text + " " + place, typed)) found.push_back({text, place, static_cast<int>(i)});
    }
    std::stable_sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
        return distance(*actions_[a.index], a.text, a.place, typed) <
               distance(*actions_[b.index], b.text, b.place, typed);
    });
    list_->clear();
    for (const auto& [text, place, i] : found) {
        const QString line = place.isEmpty() ? text : text + " – " + place;
        const QString keys = actions_[i]->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(keys.isEmpty() ? line : line + "    " + keys);
        item->setData(Qt::UserRole, i);
        list_->addItem(item);
    }
    list_->setCurrentRow(0);
    if (!found.empty()) return;
    auto* none = new QListWidgetItem(tr("No command has these words"), list_);
    none->setFlags(Qt::NoItemFlags);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
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
