#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/study/study_labels.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

/// What a person changes about some runs.
struct LabelChange {
    std::optional<int> color = {};         ///< of their groups
    std::optional<std::string> name = {};  ///< of their groups; "" = the job's
    std::optional<std::string> note = {};
    std::vector<std::string> tags = {};    ///< to be added
    std::vector<std::string> untags = {};  ///< to be taken off
};

/// Writes it into the study's labels. Colour and name go to all runs that differ in their seed
/// alone from one of `ids`, tags and note to `ids`. What the labels of those runs were in the file
/// comes back, for put_labels(). Touches files. Errors as change_labels has them.
std::map<std::string, RunLabel> label_runs(const StudySnapshot& study,
                                           const std::vector<std::string>& ids,
                                           const LabelChange& change);

/// Writes these labels in the place of those that the runs have. Touches files.
void put_labels(const std::filesystem::path& study_dir,
                const std::map<std::string, RunLabel>& labels);

}  // namespace headroom
