#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "panels/base/rgb.h"

namespace headroom {

/// The colour maps of heat maps, all of them readable for the colour-blind. viridis, magma
/// (van der Walt & Smith 2015) and cividis (Nuñez et al. 2018) for values of one sign; RdBu, PuOr
/// (Brewer, from the blue or purple end) and vik (Crameri 2018), which have a neutral middle, for
/// values of both: in all three warm colours are more and cold ones less.
enum class ColorMap { kViridis, kCividis, kMagma, kRdBu, kPuOr, kVik };

std::span<const ColorMap> color_maps();
/// "viridis", "cividis", "magma", "RdBu", "PuOr", "vik".
std::string_view color_map_name(ColorMap map);
/// By name, upper or lower case.
std::optional<ColorMap> find_color_map(std::string_view name);
bool is_diverging(ColorMap map);

/// Colour at `place`, 0 (least) to 1 (greatest), held to that. REQUIRES: not NaN.
Rgb color_at(ColorMap map, double place);

/// What is drawn in no map's colours, so that nobody takes it for a value.
struct MapInks {
    Rgb mask;  ///< there is no value here: keys that come after their query
    Rgb nan;
    Rgb infinity;
};

const MapInks& map_inks(bool dark);

enum class RangeMode {
    kFull,        ///< least to greatest
    kPercentile,  ///< without `percentile` per cent at either end
    kSigma,       ///< mean ± `sigmas` standard deviations
    kFixed,       ///< `lower` to `upper`: shared by the maps that are compared
};

enum class ValueScale { kLinear, kLog, kSymLog };

/// How values are to become colours, as a person chooses it.
struct ColorChoice {
    ColorMap map = ColorMap::kViridis;
    RangeMode mode = RangeMode::kFull;
    double percentile = 1;
    double sigmas = 3;
    double lower = 0, upper = 1;
    ValueScale scale = ValueScale::kLinear;

    bool operator==(const ColorChoice&) const = default;
};

/// A mapping of values to colours with its limits: what a colour bar shows.
struct ColorScale {
    ColorMap map = ColorMap::kViridis;
    double lower = 0, upper = 1;  ///< lower < upper; both positive on a log scale
    ValueScale scale = ValueScale::kLinear;
    double linear_width = 1;  ///< symlog: sign(v) ln(1 + |v| / linear_width)

    bool operator==(const ColorScale&) const = default;

    /// 0 at the lower limit, 1 at the upper; beyond them it goes on. REQUIRES: value is finite.
    double place(double value) const;
    double value_at(double place) const;
    /// Values beyond the limits get the colours of the ends, NaN and infinity their own.
    Rgb color(double value, bool dark) const;
};

/// The scale that `choice` asks for, for these values. What is not finite does not count, nor does
/// what is not positive for the lower limit of a log scale. Diverging maps get limits that are
/// symmetric around zero, which is their neutral colour. Without any value: 0 to 1.
ColorScale make_color_scale(const ColorChoice& choice, std::span<const double> values);

}  // namespace headroom
