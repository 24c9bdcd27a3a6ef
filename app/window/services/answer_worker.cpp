#include "app/window/services/answer_worker.h"

#include <utility>

#include "app/window/services/worker_process.h"

namespace headroom {

AnswerWorker::AnswerWorker(std::filesystem::path program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {}

AnswerWorker::~AnswerWorker() {
    stop();
}

void AnswerWorker::stop() {
    delete worker_;
    worker_ = nullptr;
}

void AnswerWorker::ask(const std::vector<std::string>& arguments) {
    output_.clear();
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::wrote, this,
            [this](const QByteArray& bytes) { output_ += bytes.toStdString(); });
    connect(worker_, &WorkerProcess::ended, this, &AnswerWorker::finish);
    worker_->start(program_, arguments);
}

void AnswerWorker::finish(const WorkerEnd& end) {
    worker_->deleteLater();
    worker_ = nullptr;
    if (end.well())
        emit answered(output_);
    else
        emit failed(QString::fromStdString(worker_problem(end)));
}

}  // namespace headroom
