#include "core/stats/sample_mean.h"

#include <cmath>

#include <fmt/format.h>

namespace headroom {

SampleMean sample_mean(std::span<const double> values) {
    SampleMean result;
    result.count = static_cast<int64_t>(values.size());
    if (values.empty()) return result;
    for (const double value : values) result.mean += value;
    result.mean /= static_cast<double>(values.size());
    if (values.size() < 2) return result;
    double squares = 0;
    for (const double value : values) squares += (value - result.mean) * (value - result.mean);
    const auto n = static_cast<double>(values.size());
    result.standard_error = std::sqrt(squares / (n - 1) / n);
    return result;
}

std::string error_text(const SampleMean& mean, int decimals) {
    return std::isfinite(mean.standard_error)
               ? fmt::format(" ± {:.{}f}", mean.standard_error, decimals)
               : "";
}

SampleMean mean_of_means(std::span<const SampleMean> means) {
    SampleMean result;
    double variance = 0;
    for (const SampleMean& each : means) {
        result.mean += each.mean;
        result.count += each.count;
        variance += each.standard_error * each.standard_error;
    }
    if (means.empty()) return result;
    const auto n = static_cast<double>(means.size());
    result.mean /= n;
    result.standard_error = std::sqrt(variance) / n;
    return result;
}

}  // namespace headroom
