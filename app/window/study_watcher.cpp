#include "app/window/study_watcher.h"

#include "app/window/study_poller.h"

namespace headroom {

StudyWatcher::StudyWatcher(QObject* parent) : QObject(parent), poller_(new StudyPoller) {
    poller_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, poller_, &QObject::deleteLater);
    connect(poller_, &StudyPoller::found, this, &StudyWatcher::take);
    connect(poller_, &StudyPoller::failed, this, &StudyWatcher::failed);
    thread_.setObjectName("study watcher");
    thread_.start();
}

StudyWatcher::~StudyWatcher() {
    // The last order: one that was posted while the poller looked would be lost with the loop.
    poller_->post([this] { thread_.quit(); });
    thread_.wait();
}

void StudyWatcher::open(const std::filesystem::path& folder) {
    study_.reset();
    poller_->post([poller = poller_, generation = ++generation_, folder] {
        poller->open(generation, folder);
    });
}

void StudyWatcher::close() {
    ++generation_;
    study_.reset();
    poller_->post([poller = poller_] { poller->close(); });
}

void StudyWatcher::run(std::function<void()> task, std::function<void(bool)> then) {
    // This object outlives the thread, see the destructor.
    const auto tell = [this, then = std::move(then)](bool done) {
        if (then) QMetaObject::invokeMethod(this, [then, done] { then(done); });
    };
    poller_->post([poller = poller_, task = std::move(task), tell] {
        poller->run([&] {
            try {
                task();
            } catch (...) {
                tell(false);  // before failed(): whoever reads of it may try again at once
                throw;
            }
            tell(true);
        });
    });
}

void StudyWatcher::take() {
    const StudyPoller::Finding found = poller_->latest();
    if (found.generation != generation_ || found.study == study_) return;
    study_ = found.study;
    emit study_changed(study_);
}

}  // namespace headroom
