#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// One way in which a trained checkpoint becomes another architecture before training goes on: a
/// word of `train.init_convert`. The list here is the only one; core/surgery/uptrain.cpp has its
/// arithmetic.
struct Conversion {
    std::string_view name;    ///< "mean_v"
    std::string_view title;   ///< as the paper's figures write it
    std::string_view target;  ///< the `arch` that it gives, or "" where that stays
};

/// Those of SkipV1Former in the paper's order, then GQA's, then the norms'.
std::span<const Conversion> conversions();
/// UserError with the nearest name if there is none of that name.
const Conversion& find_conversion(std::string_view name);
/// Names of those that give an architecture, in the list's order.
std::vector<std::string> conversions_to(std::string_view target);

/// Lays another wiring over the weights; sources are read as they are.
inline constexpr std::string_view kRewire = "rewire";
/// One that leads to another wiring: kRewire, or one that gives an architecture. UserError with
/// what there is for any other.
const Conversion& find_wiring_conversion(std::string_view name);

}  // namespace headroom
