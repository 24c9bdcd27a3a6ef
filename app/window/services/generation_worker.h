#pragma once

#include <QObject>
#include <filesystem>
#include <string>
#include <vector>

#include "app/window/services/worker_process.h"
#include "panels/playground/event_lines.h"

namespace headroom {

/// One process that continues one prompt: `headroom generate --stream`. Whatever happens to it, the
/// window only hears of it. Destroying this ends it. UI thread only.
class GenerationWorker : public QObject {
    Q_OBJECT
  public:
    explicit GenerationWorker(QObject* parent = nullptr);

    /// Starts the program with `arguments` and the prompt on its standard input.
    void start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::string& prompt);
    /// Ends it soon; ended() follows.
    void stop() { process_.stop(); }
    bool was_stopped() const { return process_.was_stopped() && garbage_.empty(); }

  signals:
    void said(const headroom::GenerationEvent& event);
    /// Once, after the last event.
    void ended(const headroom::WorkerEnd& end);

  private:
    void read(const QByteArray& bytes);

    WorkerProcess process_;
    EventLines lines_;
    std::string garbage_;  ///< why its output could not be read
};

}  // namespace headroom
