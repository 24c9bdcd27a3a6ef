#include "app/window/shell/view_menu.h"

#include <QAction>
#include <QInputDialog>
#include <QMenu>

#include "app/window/main_window.h"
#include "app/window/services/saved_views.h"

namespace headroom {

ViewMenu::ViewMenu(MainWindow& window, SavedViews& views)
    : QObject(&window),
      window_(window),
      views_(views),
      menu_(new QMenu(tr("Saved &views"), &window)),
      removal_(new QMenu(tr("&Remove"), &window)),
      save_(add("saveView", tr("&Save this view…"))) {
    menu_->setObjectName("savedViews");
    save_->setShortcut(QKeySequence("Ctrl+Shift+S"));
    connect(save_, &QAction::triggered, this, &ViewMenu::ask_for_name);
    connect(&views_, &SavedViews::changed, this, &ViewMenu::fill);
    fill();
}

QAction* ViewMenu::add(const QString& name, const QString& text) {
    auto* action = new QAction(text, &window_);
    action->setObjectName(name);
    window_.addAction(action);
    return action;
}

void ViewMenu::fill() {
    qDeleteAll(actions_);
    actions_.clear();
    menu_->clear();
    removal_->clear();
    menu_->addAction(save_);
    save_->setEnabled(window_.session().look().is_open());
    const QStringList names = views_.names();
    if (names.isEmpty()) return;
    menu_->addMenu(removal_);
    menu_->addSeparator();
    for (const QString& name : names) {
        QString shown = name;
        shown.replace('&', "&&");
        QAction* show = add("view:" + name, tr("View: %1").arg(shown));
        connect(show, &QAction::triggered, &views_, [=, this] { views_.show(name); });
        menu_->addAction(show);
        QAction* remove = add("removeView:" + name, tr("Remove the view %1").arg(shown));
        connect(
            remove, &QAction::triggered, &views_, [=, this] { views_.remove(name); },
            Qt::QueuedConnection);  // which deletes the action
        removal_->addAction(remove);
        actions_.insert(actions_.end(), {show, remove});
    }
}

void ViewMenu::ask_for_name() {
    QInputDialog dialog(&window_);
    dialog.setObjectName("viewName");
    dialog.setWindowTitle(tr("Save this view"));
    dialog.setLabelText(tr("Name of the view; one that is there already is replaced:"));
    dialog.setTextValue(views_.suggested_name());
    if (dialog.exec() == QDialog::Accepted) views_.save(dialog.textValue());
}

}  // namespace headroom
