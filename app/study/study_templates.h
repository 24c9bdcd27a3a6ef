#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/study.h"
#include "core/study/wiring_search.h"

namespace headroom {

/// The scales that a template may have, the one that each has first.
inline constexpr std::array<std::string_view, 3> kTemplateScales{"laptop", "gpu", "paper"};
inline constexpr std::string_view kLaptopScale = kTemplateScales.front();

/// A study that comes with the program: resources/studies/NAME/study.json at laptop scale, and
/// SCALE.json beside it, the keys of which stand in place of the same keys there.
struct StudyTemplate {
    std::string name;  ///< "000-table2"
    std::filesystem::path folder;
    std::vector<std::string> scales;  ///< of kTemplateScales, those that are there
};

/// Where they lie: in the source tree, or beside an installed program. EnvironmentError where they
/// are missing.
std::filesystem::path templates_folder();

/// By name.
std::vector<StudyTemplate> list_templates(const std::filesystem::path& folder);

/// The one called `name`, which has `scale`. UserError with the nearest otherwise.
StudyTemplate find_template(const std::filesystem::path& folder, const std::string& name,
                            const std::string& scale);

/// The same of those that come with the program, or of the folder PARENT/NAME of one's own.
StudyTemplate find_template(const std::string& name_or_folder, const std::string& scale);

/// Its study.json at a scale, as text, checked.
std::string template_text(const StudyTemplate& chosen, const std::string& scale);
Study template_study(const StudyTemplate& chosen, const std::string& scale);

/// A job that trains as long as all trials of a search together, with the baseline's wiring.
Job job_of_search(const WiringSearch& search);

/// Tokens that all runs of a study are trained on, those that its search adds among them.
double training_tokens(const Study& study, const std::optional<WiringSearch>& search);
std::optional<WiringSearch> template_search(const StudyTemplate& chosen, const std::string& scale);

/// Whether it reads data/train.bin and data/val.bin in its folder, which `headroom data prepare`
/// makes of a text of one's own.
bool reads_own_tokens(const Study& study);

/// What is laid over a template.
struct TemplateChanges {
    std::vector<std::string> sets;  ///< KEY=VALUE, of the job that all runs share
    std::string budget;             ///< of its search: "cache=0.5"; "" = as it stands
    int64_t tokens = 0;             ///< that each run trains on, but those that say their steps
};

/// The study with the changes. UserError as make_study.
Study changed_study(const StudyTemplate& chosen, const std::string& scale,
                    const TemplateChanges& changes);

/// Makes a study of it in `study_dir`, which may exist. Files that the changes name are those of
/// the current folder, where the study's has none. UserError where that has a study.json, for
/// changes that make no study, and for a budget that no wiring comes down to.
void make_study(const StudyTemplate& chosen, const std::string& scale,
                const std::filesystem::path& study_dir, const TemplateChanges& changes = {});

}  // namespace headroom
