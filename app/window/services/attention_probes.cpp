#include "app/window/services/attention_probes.h"

#include <QProcess>
#include <functional>

#include <fmt/format.h>

#include "app/window/services/job_queue.h"
#include "core/probe/probe_file.h"
#include "core/study/run_folder.h"

namespace headroom {

namespace fs = std::filesystem;

AttentionProbes::AttentionProbes(QObject* parent) : QObject(parent) {}

AttentionProbes::~AttentionProbes() {
    stop_all();
}

fs::path AttentionProbes::record_file(const AttentionWish& wish) const {
    const std::string name = probe_file_name("attention", wish.step);
    if (wish.text.empty()) return RunFolder{wish.run}.probes() / name;
    const size_t place = std::hash<std::string>{}(wish.run.string() + '\n' + wish.text);
    return fs::path(folder_.path().toStdString()) / fmt::format("{:016x}-{}", place, name);
}

void AttentionProbes::start(const AttentionWish& wish) {
    if (busy(wish)) return;
    problems_.erase(wish);
    const fs::path file = record_file(wish);
    std::error_code ignored;  // the worker says what is wrong with the folder
    fs::create_directories(file.parent_path(), ignored);
    QStringList arguments{"probe",
                          "attention",
                          QString::fromStdString(wish.run.string()),
                          "--step",
                          QString::number(wish.step),
                          "--out",
                          QString::fromStdString(file.string())};
    if (wish.logits) arguments << "--logits";
    // Joined by a sign of equality, a text may begin with a dash.
    if (!wish.text.empty()) arguments << "--prompt=" + QString::fromStdString(wish.text);
    auto* worker = new QProcess(this);
    workers_[wish] = worker;
    worker->setStandardOutputFile(QProcess::nullDevice());
    connect(worker, &QProcess::finished, this, [=, this](int status, QProcess::ExitStatus how) {
        take_end(wish, worker, how == QProcess::NormalExit && status == 0);
    });
    connect(worker, &QProcess::errorOccurred, this, [=, this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) take_end(wish, worker, false);
    });
    worker->start(QString::fromStdString(headroom_program().string()), arguments);
    emit changed();
}

void AttentionProbes::take_end(const AttentionWish& wish, QProcess* worker, bool good) {
    if (!good) {
        const QStringList lines =
            QString::fromUtf8(worker->readAllStandardError()).split('\n', Qt::SkipEmptyParts);
        QString line = lines.isEmpty() ? worker->errorString() : lines.back();
        if (line.startsWith("error: ")) line.remove(0, 7);
        problems_[wish] = line.toStdString();
    }
    workers_.erase(wish);
    worker->deleteLater();
    emit changed();
}

void AttentionProbes::stop_all() {
    for (const auto& [wish, worker] : workers_) {
        worker->disconnect(this);
        worker->kill();
        worker->waitForFinished();
        worker->deleteLater();
    }
    workers_.clear();
}

std::string AttentionProbes::problem(const AttentionWish& wish) const {
    const auto at = problems_.find(wish);
    return at == problems_.end() ? "" : at->second;
}

}  // namespace headroom
