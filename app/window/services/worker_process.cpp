#include "app/window/services/worker_process.h"

namespace headroom {
namespace {

constexpr size_t kMostErrors = 64 * 1024;
constexpr int kEndsWithinMs = 2000;

}  // namespace

WorkerProcess::WorkerProcess(QObject* parent) : QObject(parent), process_(this) {
    connect(&process_, &QProcess::readyRead, this, &WorkerProcess::read);
    connect(&process_, &QProcess::readyReadStandardError, this, &WorkerProcess::read);
    connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        finish({status == QProcess::CrashExit, code, ""});
    });
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        errors_ = "error: " + process_.program().toStdString() +
                  " does not start: " + process_.errorString().toStdString() + "\n";
        finish({false, 1, ""});
    });
}

WorkerProcess::~WorkerProcess() {
    process_.disconnect(this);
    if (process_.state() == QProcess::NotRunning) return;
    process_.kill();
    process_.waitForFinished(kEndsWithinMs);
}

void WorkerProcess::start(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments, const std::string& input) {
    QStringList words;
    for (const std::string& argument : arguments) words << QString::fromStdString(argument);
    if (input.empty()) process_.setStandardInputFile(QProcess::nullDevice());
    process_.start(QString::fromStdString(program.string()), words);
    if (input.empty()) return;
    process_.write(input.data(), static_cast<qint64>(input.size()));
    process_.closeWriteChannel();
}

void WorkerProcess::stop() {
    if (process_.state() == QProcess::NotRunning) return;
    stopped_ = true;
    process_.kill();  // it holds nothing that must be put in order
}

void WorkerProcess::read() {
    const QByteArray errors = process_.readAllStandardError();
    if (errors_.size() < kMostErrors)
        errors_.append(errors.data(), static_cast<size_t>(errors.size()));
    const QByteArray bytes = process_.readAllStandardOutput();
    if (!bytes.isEmpty() && !stopped_) emit wrote(bytes);
}

void WorkerProcess::finish(WorkerEnd end) {
    if (ended_) return;
    read();
    ended_ = true;
    end.errors = errors_;
    emit ended(end);
}

}  // namespace headroom
