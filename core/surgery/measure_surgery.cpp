#include "core/surgery/measure_surgery.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/system_info.h"
#include "core/decode/loaded_model.h"
#include "core/probe/probe_pass.h"
#include "core/surgery/rebased_tensors.h"

namespace headroom {
namespace {

/// What a forward pass gave, in float64.
struct Pass {
    std::vector<double> logits;
    std::vector<Matrix> streams;  ///< as SurgeryDifference has them
};

Pass run(const WeightSource& weights, std::span<const int32_t> tokens, DType precision,
         Device& device) {
    const auto count = static_cast<int64_t>(tokens.size());
    Pass result;
    {
        LoadedModel model(weights, precision, count, device);
        if (precision == DType::kF64) {
            result.logits = model.logits<double>(tokens);
        } else {
            const std::vector<float> logits = model.logits<float>(tokens);
            result.logits.assign(logits.begin(), logits.end());
        }
    }
    ProbePass pass(weights.config(), {1, count, precision}, {.streams = true}, device);
    pass.load(weights);
    pass.run(tokens);
    for (int layer = -1; layer < weights.config().n_layer; ++layer) {
        TokenMatrix stream = pass.stream(layer, 0);
        result.streams.emplace_back(stream.rows, stream.columns, std::move(stream.values));
    }
    return result;
}

NumberDifference difference_of(const std::vector<double>& a, const std::vector<double>& b) {
    CHECK(a.size() == b.size() && !a.empty(), "as many numbers of both");
    const auto n = static_cast<double>(a.size());
    double mean = 0, square = 0;
    NumberDifference result;
    for (size_t i = 0; i < a.size(); ++i) {
        mean += a[i] / n;
        const double d = std::abs(a[i] - b[i]);
        result.greatest = std::isnan(d) ? d : std::max(result.greatest, d);
    }
    for (const double x : a) square += (x - mean) * (x - mean) / n;
    result.spread = std::sqrt(square);
    return result;
}

/// The weights alone; activations of a short sequence are small beside them.
std::string too_large(const WeightSource& weights, DType precision) {
    double bytes = 0;
    for (const ParameterSpec& spec : weights.specs())
        bytes += static_cast<double>(spec.count()) * static_cast<double>(size_of(precision));
    const auto available = static_cast<double>(available_bytes());
    if (available == 0 || bytes < 0.8 * available) return "";
    return fmt::format("the model takes {:.1f} GB in {}, of {:.1f} GB that are free", 1e-9 * bytes,
                       name_of(precision), 1e-9 * available);
}

}  // namespace

SurgeryDifference measure_surgery(const WeightSource& before, const WeightSource& after,
                                  const SurgeryPlan& plan, std::span<const int32_t> tokens,
                                  DType precision, Device& device) {
    SurgeryDifference result{.precision = precision, .missing = too_large(before, precision)};
    if (!result.missing.empty()) return result;
    try {
        device.check_precision(precision);
    } catch (const std::exception& error) {
        result.missing = error.what();
        return result;
    }
    const Pass original = run(before, tokens, precision, device);
    const Pass reduced = run(after, tokens, precision, device);
    result.logits = difference_of(original.logits, reduced.logits);
    RebasedTensors rebased(plan.bases);
    for (size_t i = 0; i < original.streams.size(); ++i) {
        const Matrix expected =
            plan.bases ? rebased.stream(before, plan.bases->places().input(static_cast<int>(i)),
                                        original.streams[i])
                       : original.streams[i];
        result.streams.push_back(difference_of(expected.values, reduced.streams[i].values));
    }
    return result;
}

}  // namespace headroom
