#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/bench/scaling.h"
#include "core/device/device.h"

namespace headroom {

/// One kind of work that is measured at growing sizes.
struct ScalingWork {
    std::string kind;  ///< as --what names it: "step", "probe", "study", "data"
    std::string name, size_name, cost_name, setting;  ///< see ScalingLine
    std::vector<double> sizes;
    /// What a size should cost, in cost_name.
    std::function<double(double size)> cost;
    /// Makes ready what a size needs; each call of the result does the work and says the seconds.
    std::function<std::function<double()>(double size)> prepare;
};

/// Training steps over seq_len, n_layer and vocab_size; the attention probe over seq_len.
std::vector<ScalingWork> model_scaling(Device& device);
/// Opening a study over its runs and over the points of a run, with logs that are written for it.
std::vector<ScalingWork> study_scaling();
/// `data prepare` over the bytes of a text.
std::vector<ScalingWork> data_scaling();

/// Seconds at each of the first `sizes` sizes: the median of `rounds` after one that does not
/// count.
ScalingLine measure(const ScalingWork& work, size_t sizes, int rounds);

}  // namespace headroom
