#include "tests/fuzz/studio_targets.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "panels/decode_speed/decode_figure.h"
#include "panels/scaling/scaling_figure.h"

namespace headroom {
namespace {

/// What `headroom bench decode --json` prints, read and drawn.
FuzzTarget decode_target() {
    const std::string seed = R"({"device": "CPU, 2 threads", "dtype": "float32", "cases": [
        {"preset": "a", "arch": "gpt2", "batch_size": 1, "context": 64,
         "prefill_ms_per_100_tokens": 9.5, "tokens_per_second": 10, "share_of_memory_rate": 0.5},
        {"preset": "b", "arch": "skipv1", "batch_size": 1, "context": 64,
         "prefill_ms_per_100_tokens": 4, "tokens_per_second": 11, "share_of_memory_rate": 1}]})";
    return {"decode", {seed}, mutate_json, [](const std::string& input) {
                const DecodeResult result = read_decode_result(parse_json(input, "it"), "it");
                for (const DecodePlot plot :
                     {DecodePlot::kPrefill, DecodePlot::kThroughput, DecodePlot::kShare})
                    (void)build_decode_figure(result, {plot, DecodeOver::kSize, "", {}, {}});
            }};
}

/// What `headroom bench scaling --json` prints, read and drawn.
FuzzTarget scaling_target() {
    const std::string seed = R"({"device": "CPU", "lines": [
        {"name": "training step", "size_name": "seq_len", "cost_name": "FLOPs", "setting": "x",
         "points": [{"size": 64, "seconds": 0.1, "cost": 7}, {"size": 128, "seconds": 0.3, "cost": 14},
                    {"size": 256, "seconds": 0.9, "cost": 28}]}]})";
    return {"scaling", {seed}, mutate_json, [](const std::string& input) {
                (void)build_scaling_figure(read_scaling_result(parse_json(input, "it"), "it"), "");
            }};
}

}  // namespace

std::vector<FuzzTarget> studio_targets() {
    return {decode_target(), scaling_target()};
}

}  // namespace headroom
