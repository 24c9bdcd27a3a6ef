#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace headroom {

/// A study that comes with the program: resources/studies/NAME/study.json at laptop scale, and
/// SCALE.json beside it, the keys of which stand in place of the same keys there.
struct StudyTemplate {
    std::string name;  ///< "000-table2"
    std::filesystem::path folder;
    std::vector<std::string> scales;  ///< "laptop", then "gpu" and "paper" where they are there
};

/// Where they lie: in the source tree, or beside an installed program. EnvironmentError where they
/// are missing.
std::filesystem::path templates_folder();

/// By name.
std::vector<StudyTemplate> list_templates(const std::filesystem::path& folder);

/// The one called `name`, which has `scale`. UserError with the nearest otherwise.
StudyTemplate find_template(const std::filesystem::path& folder, const std::string& name,
                            const std::string& scale);

/// Its study.json at a scale, as text, checked.
std::string template_text(const StudyTemplate& chosen, const std::string& scale);
Study template_study(const StudyTemplate& chosen, const std::string& scale);

/// Tokens that all runs of a study are trained on.
int64_t training_tokens(const Study& study);

/// Makes a study of it in `study_dir`, which may exist. UserError where that has a study.json.
void make_study(const StudyTemplate& chosen, const std::string& scale,
                const std::filesystem::path& study_dir);

}  // namespace headroom
