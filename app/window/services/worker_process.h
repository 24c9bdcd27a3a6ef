#pragma once

#include <QObject>
#include <QProcess>
#include <filesystem>
#include <string>
#include <vector>

#include "panels/base/worker_end.h"

namespace headroom {

/// One process that the window starts and hears of: its output as it comes, its end once, whatever
/// happens to it. Destroying this ends it without a word. UI thread only.
class WorkerProcess : public QObject {
    Q_OBJECT
  public:
    explicit WorkerProcess(QObject* parent = nullptr);
    ~WorkerProcess() override;

    /// Starts `program` with `input` on its standard input. REQUIRES: not started before.
    void start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::string& input = "");
    /// Ends it soon; ended() follows.
    void stop();
    bool was_stopped() const { return stopped_; }

  signals:
    /// Bytes of its standard output, in pieces; none after stop().
    void wrote(const QByteArray& bytes);
    /// Once, after the last wrote().
    void ended(const headroom::WorkerEnd& end);

  private:
    void read();
    void finish(WorkerEnd end);

    QProcess process_;
    std::string errors_;
    bool stopped_ = false, ended_ = false;
};

}  // namespace headroom
