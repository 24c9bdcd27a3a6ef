#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <optional>

#include "panels/study/study_reader.h"

namespace headroom {

/// The watcher's end on its own thread. Created on the UI thread, moved, then used on its thread
/// only; reports through `found`, which is called there too.
class StudyPoller : public QObject {
    Q_OBJECT
  public:
    StudyPoller();

    void open(int generation, const std::filesystem::path& folder);
    void close();
    void run(const std::function<void()>& task);

  signals:
    void found(int generation, const headroom::StudyPointer& study);
    void failed(const QString& message);

  private:
    void look();

    QTimer* timer_;
    std::optional<StudyReader> reader_;
    StudyPointer announced_;  ///< a study that did not change is not announced again
    int generation_ = 0;
};

}  // namespace headroom
