#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/study/run_folder.h"
#include "core/study/study.h"

namespace headroom {

/// Writes the job.json that somebody took away from a run again, as its log has it; `say` gets a
/// line about each, also where the log cannot tell.
void restore_jobs(const std::filesystem::path& study_dir,
                  const std::function<void(const std::string&)>& say);

/// restore_jobs(), and writes runs/ID/job.json for every run of the study that has not begun;
/// relative data paths are taken from the study's folder. A run that has a log keeps the job it
/// began with, unless study.json asks for more steps of it along the same schedule
/// (train.decay_steps): then it goes on. The one run of a variant that has several seeds by now is
/// called by its seed. `say` gets a line where study.json says something else by now, and about
/// runs that wait and that it does not list. Returns the number of jobs written.
int expand_study(const Study& study, const std::filesystem::path& study_dir,
                 const std::function<void(const std::string&)>& say);

/// One line that names the runs which began with another job than study.json has for them by now;
/// "" where there are none, or no study.json that can be read.
std::string note_of_changed_runs(const std::filesystem::path& study_dir);

/// The ids in the order in which study.json lists them; empty if there is no study.json or it
/// cannot be read.
std::vector<std::string> run_order(const std::filesystem::path& study_dir);

/// The study's runs, those of `order` first and the others by name.
std::vector<RunFolder> list_runs_in_order(const std::filesystem::path& study_dir,
                                          const std::vector<std::string>& order);

}  // namespace headroom
