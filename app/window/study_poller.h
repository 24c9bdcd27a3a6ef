#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "panels/study/study_reader.h"

namespace headroom {

/// The watcher's end on its own thread. Created on the UI thread, moved, then used on its thread
/// only, but for post(); reports through `found`, which is called there too.
class StudyPoller : public QObject {
    Q_OBJECT
  public:
    StudyPoller();

    /// Has `order` carried out on the poller's thread, in turn. From any thread.
    void post(std::function<void()> order);
    void open(int generation, const std::filesystem::path& folder);
    void close();
    void run(const std::function<void()>& task);

  signals:
    void ordered();
    void found(int generation, const headroom::StudyPointer& study);
    void failed(const QString& message);

  private:
    void carry_out_orders();
    void look();

    std::mutex mutex_;
    std::vector<std::function<void()>> orders_;  ///< guarded by mutex_
    QTimer* timer_;
    std::optional<StudyReader> reader_;
    StudyPointer announced_;  ///< a study that did not change is not announced again
    int generation_ = 0;
};

}  // namespace headroom
