#include "app/window/services/measure_runner.h"

#include <nlohmann/json.hpp>

#include "app/window/services/worker_process.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/memory/memory_panel.h"

namespace headroom {

MeasureRunner::MeasureRunner(MemoryPanel* panel, std::filesystem::path program, QObject* parent)
    : QObject(parent), panel_(panel), program_(std::move(program)) {
    connect(panel, &MemoryPanel::measure_asked, this, &MeasureRunner::start_all);
    connect(panel, &MemoryPanel::stop_asked, this, &MeasureRunner::stop);
}

MeasureRunner::~MeasureRunner() {
    delete worker_;  // before the file that it reads
}

void MeasureRunner::stop() {
    waiting_.clear();
    delete worker_;
    worker_ = nullptr;
    panel_->set_measuring({});
}

void MeasureRunner::start_all() {
    if (worker_) return;
    panel_->show_problem({});
    const std::vector<MeasureQuestion> questions = panel_->questions();
    waiting_.assign(questions.begin(), questions.end());
    asked_ = questions.size();
    start_next();
}

void MeasureRunner::start_next() {
    if (waiting_.empty()) return panel_->set_measuring({});
    now_ = std::move(waiting_.front());
    waiting_.pop_front();
    panel_->set_measuring(tr("measuring %1, %2 of %3 …")
                              .arg(QString::fromStdString(now_.name))
                              .arg(asked_ - waiting_.size())
                              .arg(asked_));
    job_file_ = std::make_unique<QTemporaryFile>();
    const std::string job = to_json(now_.request.job).dump();
    if (!job_file_->open() || job_file_->write(job.data(), static_cast<qint64>(job.size())) < 0 ||
        !job_file_->flush()) {
        waiting_.clear();
        panel_->show_problem(
            tr("%1 cannot be written; is the disk full?").arg(job_file_->fileName()));
        return panel_->set_measuring({});
    }
    output_.clear();
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::wrote, this,
            [this](const QByteArray& bytes) { output_ += bytes; });
    connect(worker_, &WorkerProcess::ended, this, &MeasureRunner::finish);
    worker_->start(program_, measure_arguments(now_, job_file_->fileName().toStdString()));
}

void MeasureRunner::finish(const WorkerEnd& end) {
    QString wrong = QString::fromStdString(worker_problem(end));
    if (end.well()) try {
            panel_->take_measurement(now_, parse_measurement(output_.toStdString()));
        } catch (const UserError& error) {
            wrong = QString::fromUtf8(error.what());
        }
    worker_->deleteLater();
    worker_ = nullptr;
    if (!wrong.isEmpty())
        panel_->show_problem(tr("%1: %2").arg(QString::fromStdString(now_.name), wrong));
    start_next();
}

}  // namespace headroom
