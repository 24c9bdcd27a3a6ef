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
/// only, but for post() and latest(); tells through `found`, which is called there too, that there
/// is something new.
class StudyPoller : public QObject {
    Q_OBJECT
  public:
    StudyPoller();

    /// Has `order` carried out on the poller's thread, in turn. From any thread.
    void post(std::function<void()> order);

    struct Finding {
        int generation = 0;
        StudyPointer study;
    };
    /// What was found last. From any thread.
    Finding latest() const;
    void open(int generation, const std::filesystem::path& folder);
    void close();
    void run(const std::function<void()>& task);

  signals:
    void ordered();
    void found();
    void failed(const QString& message);

  private:
    void carry_out_orders();
    void look();

    mutable std::mutex mutex_;
    std::vector<std::function<void()>> orders_;  ///< guarded by mutex_
    Finding latest_;                             ///< the same
    QTimer* timer_;
    std::optional<StudyReader> reader_;
    StudyPointer announced_;  ///< a study that did not change is not announced again
    int generation_ = 0;
};

}  // namespace headroom
