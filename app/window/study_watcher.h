#pragma once

#include <QObject>
#include <QThread>
#include <filesystem>
#include <functional>

#include "panels/study/study_snapshot.h"

namespace headroom {

class StudyPoller;

/// Looks at a study's folder twice a second on a thread of its own and hands immutable snapshots to
/// the UI thread. Work that touches files (asking a run to pause, starting the queue) runs on that
/// thread too, so that no slow disk ever holds up the window. Methods and signals: UI thread.
class StudyWatcher : public QObject {
    Q_OBJECT
  public:
    explicit StudyWatcher(QObject* parent = nullptr);
    ~StudyWatcher() override;

    void open(const std::filesystem::path& folder);
    void close();
    /// Runs `task` on the watcher's thread, then looks at the study at once. What it throws comes
    /// back through failed(). `then` is told on the UI thread whether it threw nothing.
    void run(std::function<void()> task, std::function<void(bool done)> then = {});
    /// The snapshot that was announced last; nullptr before the first one and after close().
    const StudyPointer& study() const { return study_; }

  signals:
    void study_changed(const headroom::StudyPointer& study);
    void failed(const QString& message);

  private:
    void take();

    QThread thread_;
    StudyPoller* poller_;
    StudyPointer study_;
    int generation_ = 0;  ///< of open() and close(): a snapshot of an older study is dropped
};

}  // namespace headroom
