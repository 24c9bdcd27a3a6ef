#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/probe_options.h"
#include "core/probe/probe_file.h"
#include "core/probe/probe_pass.h"

namespace headroom {

/// Everything that a probe of one checkpoint works with, opened and checked.
struct ProbeInput {
    CheckpointWeights weights;
    Job job;             ///< the run's; of a checkpoint alone, one that evaluates it
    ProbeHeader header;  ///< complete
    ProbeTokens tokens;  ///< every sequence, with texts where there is a tokenizer
    OpenedData data;     ///< where the tokens are from; empty for given ones
    std::unique_ptr<Device> device;
    DType precision = DType::kF32;
    int64_t pass_rows = 1;      ///< sequences per forward pass, a divisor of tokens.batch_size
    std::filesystem::path out;  ///< its folder is there
    std::shared_ptr<const Tokenizer> tokenizer = {};  ///< null where there is none
};

/// UserError in one line for anything that does not fit together.
ProbeInput open_probe_input(const std::string& kind, const ProbeOptions& options);

/// The weights of a checkpoint file or of a run's newest checkpoint.
CheckpointWeights open_probe_weights(const std::string& file_or_run);

/// What a token reads as, in quotes, or its id where there is no tokenizer.
std::string token_text(const ProbeInput& input, int32_t id);

/// Runs all sequences, `pass_rows` at a time: `use(pass, first)` sees the pass whose row 0 is
/// sequence `first`.
void run_probe_passes(const ProbeInput& input, const ProbeTaps& taps,
                      const std::function<void(const ProbePass&, int64_t)>& use);

/// Writes input.out: header, tokens, and what `write` adds.
void write_probe_file(const ProbeInput& input, const std::function<void(ArrayFileWriter&)>& write);

}  // namespace headroom
