#pragma once

#include <QByteArray>
#include <QObject>
#include <filesystem>
#include <string>
#include <vector>

#include "panels/base/worker_end.h"

namespace headroom {

class WorkerProcess;

/// Runs one `headroom … --stream` at a time and hands on what it prints, line by line. UI thread
/// only.
class StreamWorker : public QObject {
    Q_OBJECT
  public:
    /// `program` is `headroom`.
    explicit StreamWorker(std::filesystem::path program, QObject* parent = nullptr);
    ~StreamWorker() override;

    void set_program(std::filesystem::path program) { program_ = std::move(program); }
    bool is_busy() const { return worker_ != nullptr; }
    /// REQUIRES: !is_busy().
    void start(const std::vector<std::string>& arguments);
    /// Ends it without another word; false if there was nothing to end.
    bool stop();

  signals:
    void told(const std::string& line);
    /// By itself, after its last line; another may be started.
    void ended(const headroom::WorkerEnd& end);

  private:
    void read(const QByteArray& bytes);
    void finish(const WorkerEnd& end);

    std::filesystem::path program_;
    QByteArray unread_;  ///< the beginning of a line
    WorkerProcess* worker_ = nullptr;
};

}  // namespace headroom
