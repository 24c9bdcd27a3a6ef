#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/launch/launch_form.h"

/// The probes of a form: which kinds look at the model while it trains, and how often.
namespace headroom {

/// What the form asks, else what the study does: kind -> steps as text, "" for the end only.
std::map<std::string, std::string> asked_probes(const LaunchInput& input, const LaunchPlace& place);

/// Every kind that can run during training, in the order of the help.
std::vector<ProbeChoice> probe_choices(const LaunchInput& input, const LaunchPlace& place);

/// Writes what the form asks into its job document; nothing where the study's own probes stand. A
/// kind keeps the options that it has in LaunchInput::probe_options, or else in the study.
/// UserError naming the kind whose steps are no whole number.
void set_probes(nlohmann::json& document, const LaunchInput& input);

/// The form with these probes and their options, as it is where they are the study's.
LaunchInput with_probes_of(LaunchInput input, const nlohmann::json& list);

/// The form with one kind asked for every `every` steps, or not at all.
LaunchInput with_probe(LaunchInput input, const LaunchPlace& place, const std::string& kind,
                       bool chosen, const std::string& every);

/// "probes: attention every 250, similarity at the end", or "" where they are the study's.
std::string probe_change(const LaunchInput& input, const LaunchPlace& place);

}  // namespace headroom
