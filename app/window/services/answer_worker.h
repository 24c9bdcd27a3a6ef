#pragma once

#include <QObject>
#include <filesystem>
#include <string>
#include <vector>

namespace headroom {

class WorkerProcess;
struct WorkerEnd;

/// Asks `headroom` one thing at a time and hands on what it printed. UI thread only.
class AnswerWorker : public QObject {
    Q_OBJECT
  public:
    explicit AnswerWorker(std::filesystem::path program, QObject* parent = nullptr);
    ~AnswerWorker() override;

    bool is_busy() const { return worker_ != nullptr; }
    /// REQUIRES: !is_busy().
    void ask(const std::vector<std::string>& arguments);
    /// Ends it without an answer.
    void stop();

  signals:
    void answered(const std::string& output);
    void failed(const QString& problem);

  private:
    void finish(const WorkerEnd& end);

    std::filesystem::path program_;
    WorkerProcess* worker_ = nullptr;
    std::string output_;
};

}  // namespace headroom
