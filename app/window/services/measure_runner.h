#pragma once

#include <QObject>
#include <QTemporaryFile>
#include <deque>
#include <filesystem>
#include <memory>

#include "panels/memory/memory_measured_view.h"

namespace headroom {

class MemoryPanel;
class WorkerProcess;
struct WorkerEnd;

/// Measures what the memory panel asks for, one model after the other, each in a worker of its own
/// (`headroom memory --measure`), so that a model too large for the machine ends only its worker.
/// UI thread only.
class MeasureRunner : public QObject {
  public:
    /// `program` is `headroom`.
    MeasureRunner(MemoryPanel* panel, std::filesystem::path program, QObject* parent = nullptr);
    ~MeasureRunner() override;

    void set_program(std::filesystem::path program) { program_ = std::move(program); }
    /// Ends the worker and forgets the rest.
    void stop();

  private:
    void start_all();
    void start_next();
    void finish(const WorkerEnd& end);

    MemoryPanel* panel_;
    std::filesystem::path program_;
    std::deque<MeasureQuestion> waiting_;
    size_t asked_ = 0;
    MeasureQuestion now_;
    std::unique_ptr<QTemporaryFile> job_file_;
    QByteArray output_;
    WorkerProcess* worker_ = nullptr;
};

}  // namespace headroom
