#include "app/window/services/generation_worker.h"

#include "core/base/error.h"

namespace headroom {

GenerationWorker::GenerationWorker(QObject* parent) : QObject(parent) {
    connect(&process_, &WorkerProcess::wrote, this, &GenerationWorker::read);
    connect(&process_, &WorkerProcess::ended, this, [this](const WorkerEnd& end) {
        emit ended(garbage_.empty() ? end : WorkerEnd{false, 1, "error: " + garbage_ + "\n"});
    });
}

void GenerationWorker::start(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const std::string& prompt) {
    process_.start(program, arguments, prompt);
}

void GenerationWorker::read(const QByteArray& bytes) {
    if (!garbage_.empty()) return;
    try {
        for (const GenerationEvent& event :
             lines_.take({bytes.data(), static_cast<size_t>(bytes.size())}))
            emit said(event);
    } catch (const UserError& error) {
        garbage_ = error.what();
        process_.stop();
    }
}

}  // namespace headroom
