#pragma once

#include <string>
#include <vector>

#include "panels/base/colormap.h"
#include "panels/figure/curve.h"

namespace headroom {

/// Takes "full", "p2" (without 2 % at either end), "3sigma" or "-1:1" into `choice`. UserError for
/// anything else.
void parse_color_range(const std::string& text, ColorChoice& choice);

/// What parse_color_range() takes for this choice.
std::string color_range_text(const ColorChoice& choice);

/// Takes "0:200k" for `option`: the ends of an axis, as people type numbers. UserError for anything
/// else, and on a logarithmic axis for what does not lie above zero.
Range parse_axis_range(const std::string& text, const std::string& option, bool log);

/// "linear", "log" or "symlog".
std::string name_of(ValueScale scale);
ValueScale parse_value_scale(const std::string& text);
std::vector<std::string> value_scale_names();

/// A colour map by its name; UserError with the names that there are.
ColorMap parse_color_map(const std::string& text);
std::vector<std::string> color_map_names();

}  // namespace headroom
