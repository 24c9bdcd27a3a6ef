#pragma once

#include <QWidget>
#include <functional>
#include <vector>

class QCheckBox;
class QFormLayout;

namespace headroom {

class MainWindow;

/// What a person sets for the program rather than for one view, as a page of the window, with a
/// study or without one. Each choice takes effect at once and is kept. UI thread only.
class SettingsPage : public QWidget {
    Q_OBJECT
  public:
    explicit SettingsPage(MainWindow& window);

    /// The keys go to the first setting.
    void focus_first();

  signals:
    void left();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* make_top();
    void add_look();
    void add_views();
    void add_queue();
    void add_notices();
    /// A box that shows what `value` says whenever the page comes up.
    QCheckBox* add_box(const QString& label, const QString& text, const char* name,
                       std::function<bool()> value, std::function<void(bool)> set);

    MainWindow& window_;
    QFormLayout* form_;
    QWidget* first_ = nullptr;
    std::vector<std::function<void()>> refreshes_;
};

}  // namespace headroom
