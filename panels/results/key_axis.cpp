#include "panels/results/key_axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

FigureAxis key_axis(const std::string& key, double least, double most, bool log, double room) {
    if (log && least <= 0)
        throw UserError(fmt::format("{} goes down to {}, which has no logarithm", key, least),
                        "leave --logx out");
    FigureAxis axis;
    axis.label = key;
    axis.column = key;
    axis.scale = log ? AxisScale::kLog : AxisScale::kLinear;
    constexpr double kCountsFrom = 5000;
    if (most > kCountsFrom) axis.format = NumberFormat::kCount;
    if (log) {
        const double factor = std::max(std::pow(most / least, room), 1.05);
        axis.range = {least / factor, most * factor};
    } else {
        // One number alone has room, too.
        const double around = most > least ? std::max((most - least) * room, std::abs(most) * 1e-3)
                                           : std::abs(most) * 0.02 + 1e-12;
        axis.range = {least - around, most + around};
    }
    return axis;
}

}  // namespace headroom
