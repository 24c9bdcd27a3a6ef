#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A data spec of a job file, taken apart: KIND:NAME, for some kinds also ?KEY=VALUE&...
struct DataSpec {
    enum class Kind { kText, kTokens, kHdf5, kTask, kImages, kMix, kSplit };

    Kind kind = Kind::kText;
    std::string name;  ///< path, task name, fraction, or the parts of a mixture
    std::map<std::string, std::string> options;
    std::string text;  ///< as written, for messages
};

/// What may be written for data.train and data.val.
struct DataSpecKind {
    DataSpec::Kind kind;
    std::string_view word;     ///< before the colon
    std::string_view form;     ///< for people: "tokens:FILE"
    std::string_view summary;  ///< one line
    bool names_path = false;   ///< NAME is a file or a folder
    bool has_options = false;
    bool in_mixtures = false;
    bool holds_ids = false;  ///< tokens, not text to be cut into them
};
std::span<const DataSpecKind> data_spec_kinds();
const DataSpecKind& info_of(DataSpec::Kind kind);
/// The kind whose word stands before the colon, whatever follows it; none for anything else.
std::optional<DataSpec::Kind> data_kind_of(std::string_view text);
/// A spec of that kind, as it is written: "text:a.txt" of kText and "a.txt".
std::string data_spec_text(DataSpec::Kind kind, std::string_view name);
/// The forms of all that data.train takes: "text:FILE_OR_FOLDER, …".
std::string training_data_forms();

/// Throws UserError (naming `key`, for example "data.train") for anything that is not a spec.
DataSpec parse_data_spec(std::string_view text, std::string_view key);

/// The same for one of the two places in a job: split: is only for data.val, and says a fraction;
/// a mixture has parts that can be mixed.
DataSpec parse_training_data(std::string_view text);
DataSpec parse_validation_data(std::string_view text);

/// A source of mix: and its weight.
struct WeightedSpec {
    double weight = 1;
    DataSpec spec;
};

/// The parts of mix:WEIGHT SPEC; WEIGHT SPEC; … in their order: those with in_mixtures.
/// Throws UserError naming `key`. REQUIRES: that kind.
std::vector<WeightedSpec> mixed_specs(const DataSpec& mixture, std::string_view key);

/// The fraction F of split:F, with 0 < F < 1.
double split_fraction(const DataSpec& spec);

}  // namespace headroom
