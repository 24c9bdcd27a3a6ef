#pragma once

#include <QWidget>
#include <string>
#include <thread>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;

namespace headroom {

/// A button that writes a checkpoint anew as one of ours, with progress, on a thread of its own. It
/// can be stopped; what was written by then is gone, and an older file of that name stays.
class CheckpointSaver : public QWidget {
    Q_OBJECT
  public:
    explicit CheckpointSaver(QWidget* parent = nullptr);
    ~CheckpointSaver() override;

    /// What to save: a checkpoint that opens with these assignments. An empty path: nothing.
    void set_source(const std::string& path, std::vector<std::string> sets);
    void save_to(const std::string& file);
    bool is_saving() const { return thread_.joinable(); }
    QPushButton* button() const { return button_; }
    QLabel* message() const { return message_; }

  private:
    void press();
    void take(double share);
    void finish(const QString& message);

    std::string path_;
    std::vector<std::string> sets_;
    QPushButton* button_;
    QProgressBar* bar_;
    QLabel* message_;
    std::jthread thread_;  ///< last: it stops before the rest goes
};

}  // namespace headroom
