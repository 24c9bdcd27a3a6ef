#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/study/run_folder.h"
#include "core/study/run_status.h"

namespace headroom {

struct StudyRunnerOptions {
    std::string headroom;  ///< the program that trains: "/…/build/release/bin/headroom"
    std::vector<std::string> order = {};  ///< ids of runs, first things first; the rest by name
    /// Called once under the study's lock, before the first look at the queue.
    std::function<void()> prepare = {};
    /// Called under the lock whenever nothing is left to train: true if it has added to the queue.
    std::function<bool()> next = {};
    double poll_seconds = 0.25;
    double report_seconds = 10;  ///< between two lines about the run at work
    /// Gets every line about the progress; standard error by default.
    std::function<void(const std::string&)> say = {};
};

/// The one scheduler of a study. The queue is the folder: every run that has a job.json, is neither
/// finished, failed nor stopped and has no living worker is started, one after the other, until
/// none is left; runs that are added meanwhile are found. A failed run does not end the queue. A
/// run that finished fewer steps than its job asks for by now goes on, one
/// that was killed is resumed from its newest checkpoint, and so is a failed or stopped one
/// whose control.json asks to run. Holds the study's lock while it works.
class StudyRunner {
  public:
    StudyRunner(std::filesystem::path study_dir, StudyRunnerOptions options);

    /// True if every run that it started finished; false if some failed, were stopped, or if
    /// `interrupted` said to give up: the run at work then stops, and the next scheduler takes it
    /// up. Throws UserError if another scheduler works on the study.
    bool run_all(const std::function<bool()>& interrupted);

  private:
    bool run_queue(const std::function<bool()>& interrupted);
    std::vector<RunFolder> queued() const;
    bool wait_for_workers(const std::function<bool()>& interrupted) const;
    bool run_one(const RunFolder& run, const std::function<bool()>& interrupted);

    std::filesystem::path study_dir_;
    StudyRunnerOptions options_;
    /// Each with the number of steps that its job had: one that goes on may be tried again.
    std::set<std::pair<std::filesystem::path, int64_t>> tried_;
};

/// "step 120/500, loss 2.345, 4,100 tokens/s, 35 s left": what is known of it.
std::string progress_line(const RunStatus& status);

/// Asks every run of a study that is at work or waiting to stop. Returns their number.
int request_stop(const std::filesystem::path& study_dir);

/// Puts stopped and failed runs back into the queue and takes back requests to stop.
void requeue(const std::filesystem::path& study_dir);

}  // namespace headroom
