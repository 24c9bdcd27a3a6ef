#pragma once

#include <QDialog>

class QFormLayout;

namespace headroom {

class MainWindow;

/// What a person sets for the program rather than for one view. Each choice takes effect at once
/// and is kept. UI thread only.
class SettingsDialog : public QDialog {
    Q_OBJECT
  public:
    explicit SettingsDialog(MainWindow& window);

  private:
    void add_heading(const QString& text);
    void add_look();
    void add_views();
    void add_notices();

    MainWindow& window_;
    QFormLayout* form_;
};

/// Opens it, or brings the one that is open to the front.
SettingsDialog* show_settings(MainWindow& window);

}  // namespace headroom
