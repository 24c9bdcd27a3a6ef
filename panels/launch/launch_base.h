#pragma once

#include <nlohmann/json_fwd.hpp>

#include "panels/launch/launch_form.h"

/// What a form starts from: the study's own job.
namespace headroom {

/// Preset of a form that keeps the sizes that study.json itself says.
inline constexpr char kStudySizes[] = "the study's model";

/// The "job" of study.json; an object, empty where the study has none that is one.
nlohmann::json study_job(const LaunchPlace& place);

/// A value as the form's fields have it: text without quotes, "" for null.
std::string form_text(const nlohmann::json& value);

/// Whether the study's model is its own and none of the presets.
bool has_own_sizes(const LaunchPlace& place);

/// start_input() with the first seed, whether or not a run has it.
LaunchInput own_input(const LaunchPlace& place);

/// The first run that has trained what the study's own job trains, whatever its seed; "" for none.
std::string own_run(const LaunchPlace& place);

/// The job document below a form's values: the study's job, with the form's preset in place of the
/// study's model if it is another one, without architecture, name and seed.
nlohmann::json base_document(const LaunchInput& input, const LaunchPlace& place);

}  // namespace headroom
