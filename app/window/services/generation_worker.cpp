#include "app/window/services/generation_worker.h"

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr size_t kMostErrors = 64 * 1024;
constexpr int kEndsWithinMs = 2000;

}  // namespace

GenerationWorker::GenerationWorker(QObject* parent) : QObject(parent), process_(this) {
    connect(&process_, &QProcess::readyReadStandardOutput, this, &GenerationWorker::read);
    connect(&process_, &QProcess::readyReadStandardError, this, &GenerationWorker::take_errors);
    connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        read();
        take_errors();
        finish({status == QProcess::CrashExit, code, errors_});
    });
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish({false, 1,
                    "error: " + process_.program().toStdString() +
                        " does not start: " + process_.errorString().toStdString() + "\n"});
    });
}

GenerationWorker::~GenerationWorker() {
    process_.disconnect(this);
    if (process_.state() == QProcess::NotRunning) return;
    process_.kill();
    process_.waitForFinished(kEndsWithinMs);
}

void GenerationWorker::start(const std::string& program, const std::vector<std::string>& arguments,
                             const std::string& prompt) {
    QStringList words;
    for (const std::string& argument : arguments) words << QString::fromStdString(argument);
    process_.start(QString::fromStdString(program), words);
    process_.write(prompt.data(), static_cast<qint64>(prompt.size()));
    process_.closeWriteChannel();
}

void GenerationWorker::stop() {
    if (process_.state() == QProcess::NotRunning) return;
    stopped_ = true;
    process_.kill();  // it holds nothing that must be put in order
}

void GenerationWorker::read() {
    const QByteArray bytes = process_.readAllStandardOutput();
    if (!garbage_.empty() || stopped_) return;
    try {
        for (const GenerationEvent& event :
             lines_.take({bytes.data(), static_cast<size_t>(bytes.size())}))
            emit said(event);
    } catch (const UserError& error) {
        garbage_ = error.what();
        process_.kill();
    }
}

void GenerationWorker::take_errors() {
    const QByteArray bytes = process_.readAllStandardError();
    if (errors_.size() < kMostErrors)
        errors_.append(bytes.data(), static_cast<size_t>(bytes.size()));
}

void GenerationWorker::finish(WorkerEnd end) {
    if (ended_) return;
    ended_ = true;
    if (!garbage_.empty()) end = {false, 1, "error: " + garbage_ + "\n"};
    emit ended(end);
}

}  // namespace headroom
