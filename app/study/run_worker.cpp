#include "app/study/run_worker.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/study/study_status.h"
#include "core/base/file.h"
#include "core/study/run_control.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

ChildProcess start_training(const std::string& headroom, const RunFolder& run,
                            const RunSlot& slot) {
    clear_request(run.root);
    std::vector<std::string> argv = {headroom,           "train", "--job",
                                     run.job().string(), "--out", run.root.string()};
    if (std::filesystem::exists(run.log())) argv.emplace_back("--resume");
    return ChildProcess::start(argv, run.worker_log(), slot.environment);
}

/// "step 120/500, loss 2.345, 4,100 tokens/s, 35 s left": what is known of it.
std::string progress_line(const RunStatus& status) {
    std::string line = fmt::format("step {}/{}", status.step, status.steps);
    if (std::isfinite(status.loss)) line += fmt::format(", loss {:.3f}", status.loss);
    if (status.tokens_per_second > 0)
        line += fmt::format(", {:.0f} tokens/s", status.tokens_per_second);
    if (status.remaining_seconds > 0)
        line += ", " + format_duration(status.remaining_seconds) + " left";
    return line;
}

}  // namespace

RunWorker::RunWorker(const std::string& headroom, const RunFolder& run, const RunSlot& slot)
    : run_(run), child_(start_training(headroom, run, slot)) {}

void RunWorker::report(double seconds, const Say& say) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_report_ < std::chrono::duration<double>(seconds)) return;
    last_report_ = now;
    say(name() + ": " + progress_line(run_status(run_.root)));
}

void RunWorker::give_up() {
    given_up_ = !has_ended();
    child_.terminate();
}

bool RunWorker::finish(const Say& say) {
    const int exit_status = child_.wait();
    if (given_up_) write_request(run_.root, ControlRequest::kRun);
    const RunStatus status = run_status(run_.root);
    if (exit_status != 0) {
        say(fmt::format("{}: ended with status {}: {} (all of it in {})", name(), exit_status,
                        last_line_of(run_.worker_log()), run_.worker_log().string()));
        return false;
    }
    say(fmt::format("{}: {} after {}, {}", name(), name_of(status.phase),
                    format_duration(status.seconds), progress_line(status)));
    return status.phase == RunPhase::kFinished || status.phase == RunPhase::kDiverged;
}

}  // namespace headroom
