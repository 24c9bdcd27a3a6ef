// Stands in for `headroom train` in the tests of the study's queue: writes a log of ten steps at
// once. What else it does is said by the run's name: "bad…" fails with an error line, "crash…" dies
// by a signal before there is a log, "adds…" queues one more run, "slow…" runs until it is asked
// to stop. It appends its arguments to RUN_DIR/calls, a slow one also the number of threads.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/log/run_log_writer.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"

namespace {

using namespace headroom;

void write_steps(RunLogWriter& log) {
    for (int step = 1; step <= 10; ++step)
        log.append_train({.step = step,
                          .tokens = step * 100,
                          .loss = 3,
                          .lr = 1e-3F,
                          .grad_norm = 1,
                          .seconds = step * 0.1,
                          .batch_hash = 7});
}

void wait_for_stop(const RunFolder& run) {
    ControlReader control(run.root);
    while (control.poll() != ControlRequest::kStop)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

int work(const RunFolder& run, bool resume) {
    const std::string name = run.root.filename().string();
    if (name.starts_with("crash")) std::raise(SIGKILL);
    write_worker_info(run.root);
    if (name.starts_with("adds"))
        write_job(create_run_folder(run.root.parent_path() / "zz-added"),
                  R"({"name": "added", "train": {"steps": 10}})");
    auto log = resume ? RunLogWriter::resume(run.log(), 0)
                      : RunLogWriter::create(run.log(), {"{}", "fake", "here", "cpu", "today"});
    log.set_state(RunState::kRunning);
    write_steps(log);
    std::ofstream(run.checkpoints() / "step-00000010.safetensors") << "not looked into";
    if (name.starts_with("slow") && !resume) {
        wait_for_stop(run);
        log.set_state(RunState::kStopped);
    } else if (name.starts_with("bad")) {
        log.set_state(RunState::kFailed);
        std::fprintf(stderr, "error: the loss is NaN at step 10\n");
        return 1;
    } else if (name.starts_with("wild")) {
        log.set_state(RunState::kDiverged);
    } else {
        log.set_state(RunState::kFinished);
    }
    log.close();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::string out, line;
    bool resume = false;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        line += arg + " ";
        if (arg == "--out") out = argv[i + 1];
        if (arg == "--resume") resume = true;
    }
    if (const char* threads = std::getenv("OMP_NUM_THREADS");
        threads && out.find("slow") != out.npos)
        line += std::string("OMP_NUM_THREADS=") + threads;
    std::ofstream(out + "/calls", std::ios::app) << line << "\n";
    return work({out}, resume);
}
