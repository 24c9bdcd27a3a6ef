#pragma once

#include <QObject>
#include <filesystem>

namespace headroom {

class LabPanel;
class WorkerProcess;
struct WorkerEnd;

/// Runs what the laboratory asks for in a worker (`headroom lab NAME --stream`), one at a time. UI
/// thread only.
class LabRunner : public QObject {
  public:
    /// `program` is `headroom`.
    LabRunner(LabPanel* panel, std::filesystem::path program, QObject* parent = nullptr);
    ~LabRunner() override;

    void set_program(std::filesystem::path program) { program_ = std::move(program); }
    /// Ends the worker.
    void stop();

  private:
    void start();
    void read(const QByteArray& bytes);
    void finish(const WorkerEnd& end);

    LabPanel* panel_;
    std::filesystem::path program_;
    QByteArray unread_;  ///< the beginning of a line
    WorkerProcess* worker_ = nullptr;
};

}  // namespace headroom
