#pragma once

#include <QObject>
#include <QProcess>
#include <string>
#include <vector>

#include "panels/tryit/answer_view.h"
#include "panels/tryit/event_lines.h"

namespace headroom {

/// One process that continues one prompt: `headroom generate --stream`. Whatever happens to it, the
/// window only hears of it. Destroying this ends it. UI thread only.
class GenerationWorker : public QObject {
    Q_OBJECT
  public:
    explicit GenerationWorker(QObject* parent = nullptr);
    ~GenerationWorker() override;

    /// Starts the program with `arguments` and the prompt on its standard input.
    void start(const std::string& program, const std::vector<std::string>& arguments,
               const std::string& prompt);
    /// Ends it soon; ended() follows.
    void stop();
    bool was_stopped() const { return stopped_; }

  signals:
    void said(const headroom::GenerationEvent& event);
    /// Once, after the last event.
    void ended(const headroom::WorkerEnd& end);

  private:
    void read();
    void finish(WorkerEnd end);
    void take_errors();

    QProcess process_;
    EventLines lines_;
    std::string errors_;
    std::string garbage_;  ///< why its output could not be read
    bool stopped_ = false, ended_ = false;
};

}  // namespace headroom
