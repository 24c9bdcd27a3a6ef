#pragma once

#include <QObject>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>

#include "app/window/services/stream_worker.h"

namespace headroom {

class WiringEditorPanel;

/// Tries what is drawn on a trained run (`headroom probe wiring RUN --stream`) in a worker, one at
/// a time; what it writes is gone once it is told. UI thread only.
class WiringTrialRunner : public QObject {
  public:
    /// `program` is `headroom`.
    WiringTrialRunner(WiringEditorPanel* editor, std::filesystem::path program);

  private:
    void start();
    void stop();
    void read(const std::string& line);
    void finish(const WorkerEnd& end);

    WiringEditorPanel* editor_;
    std::unique_ptr<QTemporaryDir> files_;  ///< the table, and the probe's file
    StreamWorker worker_;                   ///< ends before the files go
};

}  // namespace headroom
