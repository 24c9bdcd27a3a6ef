#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/study/study.h"

namespace headroom {

/// Changes to STUDY_DIR/study.json by a program. Each is one step: processes that change the file
/// at once wait for each other, what would not be a study is refused before anything is written,
/// and everything else in the file stays as it stands, with the order of its keys. A folder without
/// the file gets one, which lists the runs that lie in it. All throw UserError for a file that is
/// broken or a change that makes it so, EnvironmentError where the folder cannot be written.

/// Makes the folder, if it is not there, and the file, if it has none.
void begin_study(const std::filesystem::path& study_dir);

/// Adds runs, each with the keys alone in which it differs from the study's "job". Runs that are
/// called VARIANT-sN, N their seed, stand together as seeds of one variant where their jobs are
/// equal. Those that the study has already stay as they are; UserError for one whose id belongs to
/// another configuration. A job's name counts where it is not the variant's.
void add_runs(const std::filesystem::path& study_dir, const std::vector<StudyRun>& runs);

/// Lets variants that the study lists train for more steps: `steps` by variant. Those that train as
/// long already stay as they are. The schedule is theirs: it moves with train.steps where their
/// jobs leave train.decay_steps open.
void raise_steps(const std::filesystem::path& study_dir,
                 const std::map<std::string, int64_t>& steps);

/// Takes runs out, by id, also out of the figures that name them; a figure that named no others
/// and a claim about one that is gone altogether go with them. Ids that there are not are passed
/// over, and so is a folder without a study.json.
void remove_runs(const std::filesystem::path& study_dir, const std::vector<std::string>& ids);

/// Takes back what changed study.json from one file to another, both copies of it. Where it is
/// still as in `after`, it is as in `before` again to the last byte; else it gets the runs,
/// figures, claims and published values of `before` that `after` lacks, a run as a seed of its
/// variant, whatever job that has by now. One that is gone by now stays so.
void restore_study(const std::filesystem::path& study_dir, const std::filesystem::path& before,
                   const std::filesystem::path& after);

/// Appends a figure, or puts it before the one that stands at `place`, or replaces the one called
/// `was`. UserError where the name is taken.
void put_figure(const std::filesystem::path& study_dir, const StudyFigure& figure,
                const std::string& was = "", std::optional<size_t> place = {});

/// Puts a figure at `place` among the others, which the gallery and the report follow; beyond the
/// last it is the last. Nothing happens where there is none of that name.
void move_figure(const std::filesystem::path& study_dir, const std::string& name, size_t place);

/// Nothing happens where there is no such figure. What has been drawn stays in figures/.
void remove_figure(const std::filesystem::path& study_dir, const std::string& name);

}  // namespace headroom
