#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "panels/jobs/job_table.h"
#include "panels/launch/launch_form.h"

namespace headroom {

/// The program that trains: `headroom` beside this program.
std::filesystem::path headroom_program();

/// Starts `headroom study run STUDY_DIR` in a session of its own, so that it survives the window,
/// with --slots unless that is 0; what it prints goes to STUDY_DIR/queue.log. Does nothing where
/// one works on the study already. EnvironmentError where the program is missing or does not start.
void start_scheduler(const std::filesystem::path& study, int at_a_time);

/// Writes new runs into study.json, so that its figures know them, and their folders; then starts
/// the scheduler. UserError where one exists already.
void queue_runs(const std::filesystem::path& study, const std::vector<LaunchRun>& runs,
                int at_a_time);

/// The requests of the queue's tool bar. Each does nothing where it does not apply.
void pause_run(const Run& run);
/// A paused one goes on; one that has ended waits in the queue, to continue from its newest
/// checkpoint.
void resume_run(const Run& run);
void stop_run(const Run& run);

/// All of these touch files: call them on the watcher's thread, not on the UI thread.

}  // namespace headroom
