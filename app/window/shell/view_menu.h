#pragma once

#include <QObject>
#include <vector>

class QAction;
class QMenu;

namespace headroom {

class MainWindow;
class SavedViews;

/// The menu of the views that a person saved, each a command of the window, so that the palette
/// finds it. UI thread only.
class ViewMenu : public QObject {
    Q_OBJECT
  public:
    ViewMenu(MainWindow& window, SavedViews& views);
    QMenu* menu() const { return menu_; }

  private:
    QAction* add(const QString& name, const QString& text);
    void fill();
    void ask_for_name();

    MainWindow& window_;
    SavedViews& views_;
    QMenu *menu_, *removal_;
    QAction* save_;
    std::vector<QAction*> actions_;  ///< of single views
};

}  // namespace headroom
