#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/study/run_slots.h"
#include "app/study/run_worker.h"
#include "core/study/run_folder.h"
#include "core/study/run_status.h"

namespace headroom {

struct StudyRunnerOptions {
    std::string headroom;  ///< the program that trains: "/…/build/release/bin/headroom"
    /// Ids of runs, first things first, asked before each start; the rest goes by name.
    std::function<std::vector<std::string>()> order = {};
    std::vector<RunSlot> slots = {{}};  ///< as many runs at a time, each with its environment
    /// Called under the study's lock before every look at the queue, to bring it up to date.
    std::function<void()> update = {};
    /// Called under the lock whenever nothing is left to train: true if it has added to the queue.
    std::function<bool()> next = {};
    double poll_seconds = 0.25;
    double report_seconds = 10;  ///< between two lines about the run at work
    /// Gets every line about the progress; standard error by default.
    std::function<void(const std::string&)> say = {};
};

/// The one scheduler of a study. The queue is the folder: every run that has a job.json, is neither
/// finished, failed nor stopped and has no living worker is started, as many at a time as there are
/// slots, until none is left; runs that are added meanwhile are found, and `update` may add some.
/// One whose train.init_from is a checkpoint of another run waits for it. A run that fails, or
/// cannot be started, does not end the queue. A run that finished fewer steps than its job asks for
/// by now goes on, one that was killed is resumed from its newest checkpoint, and so is a failed or
/// stopped one whose control.json asks to run. Holds the study's lock while it works.
class StudyRunner {
  public:
    StudyRunner(std::filesystem::path study_dir, StudyRunnerOptions options);

    /// True if every run that it started finished; false if some failed, were stopped, wait for
    /// one that did not finish, or if `interrupted` said to give up: the runs at work then stop,
    /// and the next scheduler takes them up. Throws UserError if another scheduler works on the
    /// study.
    bool run_all(const std::function<bool()>& interrupted);

  private:
    void run_queue(const std::function<bool()>& interrupted);
    std::vector<RunFolder> queued() const;
    /// Those of `queued` that wait for no other run and no file, `count` at most.
    static std::vector<RunFolder> first_ready(const std::vector<RunFolder>& queued, size_t count);
    bool start_what_can();
    bool take_in_what_ended();
    void say_what_waits();
    size_t workers() const;
    size_t foreign_workers() const;

    std::filesystem::path study_dir_;
    StudyRunnerOptions options_;
    /// Each with the number of steps that its job had: one that goes on may be tried again.
    std::set<std::pair<std::filesystem::path, int64_t>> tried_;
    /// Those that ask to run and whose request cannot be taken back: else tried for ever.
    std::set<std::filesystem::path> unstartable_;
    std::vector<std::optional<RunWorker>> at_work_;  ///< in each slot
    bool all_finished_ = true;
};

/// Asks every run of a study that is at work or waiting to stop. Returns their number.
int request_stop(const std::filesystem::path& study_dir);

/// Puts stopped and failed runs back into the queue and takes back requests to stop.
void requeue(const std::filesystem::path& study_dir);

}  // namespace headroom
