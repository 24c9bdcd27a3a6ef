#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;

namespace headroom {

/// Every command of the window by name: type a few letters, press Enter.
class CommandPalette : public QDialog {
  public:
    CommandPalette(const QList<QAction*>& actions, QWidget* parent);

    /// True if the letters of every word of `typed` occur in `text` in their order, whatever their
    /// case and the order of the words.
    static bool matches(const QString& text, const QString& typed);
    /// The page or the menus that have the command: "Wiring", "View ▸ Theme"; "" where none is, and
    /// for commands that lead to a page and so name it.
    static QString place_of(const QAction& action);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill(const QString& typed);
    void run();

    QList<QAction*> actions_;
    QLineEdit* line_;
    QListWidget* list_;
};

}  // namespace headroom
