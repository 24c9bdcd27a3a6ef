#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "panels/launch/launch_form.h"

/// What a form starts from: the study's own job.
namespace headroom {

/// What the runs of a study have in common for a form: the "job" of its study.json, `plan_job`, or
/// where it has none the keys of its first run, as the studio's runs are compared all the same.
/// `study` is its folder.
std::string job_of_study(const std::string& plan_job, const std::shared_ptr<const Job>& first_run,
                         const std::string& study);

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
