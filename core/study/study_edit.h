#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/study/study_document.h"

namespace headroom {

/// Changes to the runs of STUDY_DIR/study.json by a program. Each is one step: processes that
/// change the file at once wait for each other, what would not be a study is refused before
/// anything is written, and everything else in the file stays as it stands, with the order of its
/// keys. A folder without the file gets one, which lists the runs that lie in it. All throw
/// UserError for a file that is broken or a change that makes it so, EnvironmentError where the
/// folder cannot be written. For its figures see study_edit_figures.h.

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
/// over, and so is a folder without a study.json, of which nothing is returned.
StudyTexts remove_runs(const std::filesystem::path& study_dir, const std::vector<std::string>& ids);

}  // namespace headroom
