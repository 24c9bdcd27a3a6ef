#pragma once

#include <QWidget>
#include <filesystem>

class QPlainTextEdit;
class QTimer;

namespace headroom {

/// The end of a run's worker.log, followed while it is visible. Reads at most 256 KiB.
class WorkerLogPanel : public QWidget {
  public:
    explicit WorkerLogPanel(QWidget* parent = nullptr);

    /// An empty path shows nothing.
    void follow(const std::filesystem::path& file);
    QPlainTextEdit* text() const { return text_; }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void look();

    QPlainTextEdit* text_;
    QTimer* timer_;
    QString file_;
    qint64 size_ = -1;
};

}  // namespace headroom
