#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// What stands between tags where several are written in a line: no tag has one of these.
inline constexpr std::string_view kTagSeparators = " \t\r\n,";

/// Colours of the palette that a label can name, from 0 on.
inline constexpr int kMostColors = 10'000;

/// How people call and mark one run.
struct RunLabel {
    std::optional<int> color;  ///< index into the palette: of the run's group, in every view
    std::string name;          ///< in place of the job's; "" = the job's
    std::vector<std::string> tags;
    std::string note;  ///< Markdown

    bool operator==(const RunLabel&) const = default;
};

/// STUDY_DIR/labels.json: what a person or a first look added to the runs of a study, none of which
/// changes what they compute. core/study/README.md documents the file.
struct StudyLabels {
    std::map<std::string, RunLabel> runs;  ///< by the id of the run, its folder's name

    bool operator==(const StudyLabels&) const = default;
};

/// Empty where there is no such file. UserError naming the file and the key for a broken one.
StudyLabels read_labels(const std::filesystem::path& study_dir);

/// Reads, changes and writes them as one step: processes that do so at once wait for each other.
/// Nothing is written where `change` leaves them as they are. UserError for a broken file, which is
/// never written over, and for a change that could not be read back or shown; EnvironmentError
/// where the folder cannot be written.
void change_labels(const std::filesystem::path& study_dir,
                   const std::function<void(StudyLabels&)>& change);

}  // namespace headroom
