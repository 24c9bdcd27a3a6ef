#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A data spec of a job file, taken apart: KIND:NAME, for task:, tokens: and images: also
/// ?KEY=VALUE&...
struct DataSpec {
    enum class Kind { kText, kTokens, kTask, kImages, kMix, kSplit };

    Kind kind = Kind::kText;
    std::string name;  ///< path, task name, fraction, or the parts of a mixture
    std::map<std::string, std::string> options;
    std::string text;  ///< as written, for messages
};

/// One line on each kind of spec.
struct SpecInfo {
    std::string spec, summary;
};
std::vector<SpecInfo> list_data_specs();

/// Throws UserError (naming `key`, for example "data.train") for anything that is not a spec.
DataSpec parse_data_spec(std::string_view text, std::string_view key);

/// A source of mix: and its weight.
struct WeightedSpec {
    double weight = 1;
    DataSpec spec;
};

/// The parts of mix:WEIGHT SPEC; WEIGHT SPEC; … in their order: text:, tokens: and task:.
/// Throws UserError naming `key`. REQUIRES: that kind.
std::vector<WeightedSpec> mixed_specs(const DataSpec& mixture, std::string_view key);

/// The fraction F of split:F, with 0 < F < 1.
double split_fraction(const DataSpec& spec);

}  // namespace headroom
