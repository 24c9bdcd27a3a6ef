#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/array_file.h"

namespace headroom {

/// How the numbers of several heads become one per layer.
enum class HeadSummary { kMean, kMax, kMin };
/// "mean", "max", "min".
std::string_view name_of(HeadSummary summary);

/// What the numbers of a profile belong to: streams count from before the first block.
enum class ProfileAxis { kLayers, kStreams };

/// A number per layer that a probe measures.
struct ProfileQuantity {
    std::string_view name;                  ///< of the command line: "effective_rank"
    std::string_view kind;                  ///< the probe that measures it: "similarity"
    std::string_view label;                 ///< of the y axis: has the name's words, and its unit
    std::vector<std::string> tensors = {};  ///< which ones there are, the default first

    /// A number per head and layer, of which a HeadSummary makes one per layer.
    bool is_per_head() const { return kind == "heads"; }
};

std::span<const ProfileQuantity> profile_quantities();
/// UserError naming the nearest one.
const ProfileQuantity& find_quantity(const std::string& name);

struct ProfileNumbers {
    ProfileAxis axis = ProfileAxis::kLayers;
    std::vector<double> values;  ///< NaN where a layer has none
};

/// Reads the quantity out of a file of its kind. `tensor` "" = its default. UserError for a file of
/// another kind, a tensor that is not in it, or an array of an unexpected shape.
ProfileNumbers read_profile(const ArrayFile& file, const ProfileQuantity& quantity,
                            const std::string& tensor, HeadSummary heads);

}  // namespace headroom
