#include "app/window/services/lab_runner.h"

#include <utility>

#include "app/window/services/worker_process.h"
#include "core/base/error.h"
#include "panels/lab/lab_form.h"
#include "panels/lab/lab_panel.h"

namespace headroom {

LabRunner::LabRunner(LabPanel* panel, std::filesystem::path program, QObject* parent)
    : QObject(parent), panel_(panel), program_(std::move(program)) {
    connect(panel, &LabPanel::run_asked, this, &LabRunner::start);
    connect(panel, &LabPanel::stop_asked, this, &LabRunner::stop);
}

LabRunner::~LabRunner() {
    delete worker_;
}

void LabRunner::stop() {
    if (worker_ == nullptr) return;
    delete worker_;
    worker_ = nullptr;
    panel_->set_running(false);
    panel_->show_problem(tr("Stopped: nothing was kept."));
}

void LabRunner::start() {
    if (worker_ != nullptr) return;
    unread_.clear();
    panel_->set_running(true);
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::wrote, this, &LabRunner::read);
    connect(worker_, &WorkerProcess::ended, this, &LabRunner::finish);
    worker_->start(program_, panel_->arguments());
}

void LabRunner::read(const QByteArray& bytes) {
    unread_ += bytes;
    for (qsizetype end = unread_.indexOf('\n'); end >= 0; end = unread_.indexOf('\n')) {
        const std::string line = unread_.left(end).toStdString();
        unread_.remove(0, end + 1);
        try {
            LabNews news = read_lab_line(line);
            if (news.result)
                panel_->take_result(std::move(*news.result));
            else
                panel_->show_progress(news.share, news.doing);
        } catch (const UserError& error) {
            panel_->show_problem(QString::fromUtf8(error.what()));
        }
    }
}

void LabRunner::finish(const WorkerEnd& end) {
    worker_->deleteLater();
    worker_ = nullptr;
    panel_->set_running(false);
    if (!end.well()) panel_->show_problem(QString::fromStdString(worker_problem(end)));
}

}  // namespace headroom
