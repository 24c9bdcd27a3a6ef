#pragma once

#include <QObject>
#include <filesystem>
#include <string>

#include "app/window/services/stream_worker.h"

namespace headroom {

class LabPanel;

/// Runs what the laboratory asks for in a worker (`headroom lab NAME --stream`), one at a time. UI
/// thread only.
class LabRunner : public QObject {
  public:
    /// `program` is `headroom`.
    LabRunner(LabPanel* panel, std::filesystem::path program, QObject* parent = nullptr);

    void set_program(std::filesystem::path program) { worker_.set_program(std::move(program)); }
    /// Ends the worker.
    void stop();

  private:
    void start();
    void read(const std::string& line);
    void finish(const WorkerEnd& end);

    LabPanel* panel_;
    StreamWorker worker_;
};

}  // namespace headroom
