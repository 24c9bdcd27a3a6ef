#include "app/window/services/stream_worker.h"

#include <utility>

#include "app/window/services/worker_process.h"

namespace headroom {

StreamWorker::StreamWorker(std::filesystem::path program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {}

StreamWorker::~StreamWorker() {
    delete worker_;
}

bool StreamWorker::stop() {
    const bool worked = worker_ != nullptr;
    if (worked) worker_->disconnect(this);
    delete worker_;
    worker_ = nullptr;
    return worked;
}

void StreamWorker::start(const std::vector<std::string>& arguments) {
    unread_.clear();
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::wrote, this, &StreamWorker::read);
    connect(worker_, &WorkerProcess::ended, this, &StreamWorker::finish);
    worker_->start(program_, arguments);
}

void StreamWorker::read(const QByteArray& bytes) {
    unread_ += bytes;
    for (qsizetype end = unread_.indexOf('\n'); end >= 0; end = unread_.indexOf('\n')) {
        const std::string line = unread_.left(end).toStdString();
        unread_.remove(0, end + 1);
        emit told(line);
    }
}

void StreamWorker::finish(const WorkerEnd& end) {
    worker_->deleteLater();
    worker_ = nullptr;
    emit ended(end);
}

}  // namespace headroom
