#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/account/match.h"
#include "panels/launch/launch_form.h"

namespace headroom {

/// What "Match a baseline" of the launch form asks.
struct MatchQuestion {
    std::string baseline;  ///< one of match_baselines
    MatchMeasure measure = MatchMeasure::kParams;
    std::optional<MatchKey> vary{};  ///< none: any size
};

/// One value that the form can take over.
struct MatchProposal {
    std::string label;   ///< "d_ff = 3456"
    std::string effect;  ///< "equal", or what is left: "-55,020 (-0.04 %)"
    bool exact = false;
    std::vector<std::pair<std::string, std::string>> settings;  ///< schema path, text
    /// Where the form has several variants: by architecture, the settings of each.
    std::map<std::string, std::vector<std::pair<std::string, std::string>>> by_variant{};
};

/// The answer for a form as it was filled in.
struct LaunchMatch {
    LaunchInput input;
    std::vector<MatchProposal> proposals;  ///< the best first
    std::string sentence;                  ///< what the best makes equal, and what it does not
    std::string error;                     ///< why there is no answer, "" if there is one
};

/// Models to match: the study's runs, then the presets.
std::vector<std::string> match_baselines(const LaunchPlace& place);

/// Which of them is meant unless a person says: a run of the study's own job, else the form's
/// preset.
std::string usual_match_baseline(const LaunchInput& input, const LaunchPlace& place);

/// Pure. Of several variants each gets a size of its own, all in one proposal. Takes some tens of
/// milliseconds a variant.
LaunchMatch match_launch(const LaunchInput& input, const LaunchPlace& place,
                         const MatchQuestion& question);

/// The form with a proposal's values in it.
LaunchInput with_settings(LaunchInput input, const MatchProposal& proposal);

}  // namespace headroom
