#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/figure/figure.h"

namespace headroom {

/// One model in one case of `headroom bench decode --json`.
struct DecodeRow {
    std::string size, variant;
    int64_t batch_size = 1, context = 1;
    double prefill_ms_per_100_tokens = 0, tokens_per_second = 0, share_of_memory_rate = 0;
};

/// What bench decode wrote, read as a file of a stranger. UserError naming `source`, and the row
/// and key, for what is missing or no number above zero.
struct DecodeResult {
    std::string device, dtype;
    std::vector<DecodeRow> rows;
};
DecodeResult read_decode_result(const nlohmann::json& document, const std::string& source);

/// The plots of Wu et al. (SkipV1Former), figure 7, and how near to the memory's limit they are.
enum class DecodePlot { kPrefill, kThroughput, kShare };
/// What the groups of columns differ in.
enum class DecodeOver { kSize, kContext, kBatch };

struct DecodeFigureSettings {
    DecodePlot plot = DecodePlot::kThroughput;
    DecodeOver over = DecodeOver::kSize;
    /// Of what is drawn; needed where there are several and `over` is another.
    std::string size;
    std::optional<int64_t> batch_size, context;
};

/// Columns for every variant, side by side. UserError for what was not measured, or is not said of
/// several.
Figure build_decode_figure(const DecodeResult& result, const DecodeFigureSettings& settings);

}  // namespace headroom
