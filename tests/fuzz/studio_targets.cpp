#include "tests/fuzz/studio_targets.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "panels/decode_speed/decode_figure.h"

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

}  // namespace

std::vector<FuzzTarget> studio_targets() {
    return {decode_target()};
}

}  // namespace headroom
