#include "app/scaling/scaling_work.h"

#include <algorithm>

#include "core/stats/median.h"

namespace headroom {

ScalingLine measure(const ScalingWork& work, size_t sizes, int rounds) {
    ScalingLine line{work.name, work.size_name, work.cost_name, work.setting, {}};
    for (size_t i = 0; i < std::min(sizes, work.sizes.size()); ++i) {
        const double size = work.sizes[i];
        const std::function<double()> round = work.prepare(size);
        round();
        std::vector<double> seconds;
        for (int n = 0; n < rounds; ++n) seconds.push_back(round());
        line.points.push_back({size, median(seconds), work.cost(size)});
    }
    return line;
}

}  // namespace headroom
