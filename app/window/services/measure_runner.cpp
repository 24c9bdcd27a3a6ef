#include "app/window/services/measure_runner.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/memory/memory_panel.h"

namespace headroom {
namespace {

constexpr int kEndsWithinMs = 5000;

}  // namespace

MeasureRunner::MeasureRunner(MemoryPanel* panel, std::filesystem::path program, QObject* parent)
    : QObject(parent), panel_(panel), program_(std::move(program)) {
    connect(panel, &MemoryPanel::measure_asked, this, &MeasureRunner::start_all);
    connect(panel, &MemoryPanel::stop_asked, this, &MeasureRunner::stop);
}

MeasureRunner::~MeasureRunner() {
    waiting_.clear();
    if (!process_) return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished(kEndsWithinMs);
}

void MeasureRunner::stop() {
    waiting_.clear();
    if (process_) {
        process_->disconnect(this);
        process_->kill();
        process_->waitForFinished(kEndsWithinMs);
        process_.reset();
    }
    panel_->set_measuring({});
}

void MeasureRunner::start_all() {
    if (process_) return;
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
    QStringList words;
    for (const std::string& word : measure_arguments(now_, job_file_->fileName().toStdString()))
        words << QString::fromStdString(word);
    process_ = std::make_unique<QProcess>();
    process_->setStandardInputFile(QProcess::nullDevice());
    connect(process_.get(), &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) {
                finish(status == QProcess::CrashExit, code);
            });
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) finish(false, 1);
    });
    process_->start(QString::fromStdString(program_.string()), words);
}

void MeasureRunner::finish(bool crashed, int status) {
    const bool well = !crashed && status == 0;
    QString wrong = well ? QString() : problem(crashed, status);
    if (well) try {
            panel_->take_measurement(
                now_, parse_measurement(process_->readAllStandardOutput().toStdString()));
        } catch (const UserError& error) {
            wrong = QString::fromUtf8(error.what());
        }
    process_.release()->deleteLater();  // it is what called
    if (!wrong.isEmpty())
        panel_->show_problem(tr("%1: %2").arg(QString::fromStdString(now_.name), wrong));
    start_next();
}

QString MeasureRunner::problem(bool crashed, int status) {
    if (process_->error() == QProcess::FailedToStart)
        return tr("%1 does not start: %2").arg(process_->program(), process_->errorString());
    for (const QString& line : QString::fromUtf8(process_->readAllStandardError()).split('\n'))
        if (line.startsWith("error: ")) return line.mid(7);
    return crashed ? tr("the worker was ended by signal %1; it may need more memory than there is")
                         .arg(status)
                   : tr("the worker ended with status %1").arg(status);
}

}  // namespace headroom
