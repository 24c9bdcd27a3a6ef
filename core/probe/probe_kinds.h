#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/log/array_file.h"
#include "core/probe/probe_file.h"
#include "core/probe/probe_pass.h"
#include "core/train/batch_source.h"

namespace headroom {

/// What a probe that runs during training works with. All outlive the call.
struct LiveProbe {
    const Job& job;
    const ProbeConfig& config;
    const BatchSource& data;
    const ProbeTokens& tokens;                      ///< the fixed batch
    const Executor& executor;                       ///< holds the weights ...
    const std::vector<GraphParameter>& parameters;  ///< ... of these values
    Device& device;
    std::function<bool()> keep_going = {};  ///< asked now and then; false: give up
};

/// One kind of probe that can run during training.
struct ProbeKind {
    std::string name;
    /// Writes its group of the file; throws what goes wrong.
    std::function<void(const LiveProbe&, ArrayFileWriter&)> run;
    /// What it allocates on a CPU with so many threads, beside the training.
    std::function<int64_t(const Job&, const ProbeConfig&, int threads)> bytes;
};

/// All of them. To add one, write it here and its keys in core/config/probe_config.cpp.
const std::vector<ProbeKind>& probe_kinds();
/// REQUIRES: a name of training_probe_kinds().
const ProbeKind& find_probe_kind(const std::string& name);

/// Sequences and tokens of the batch that is probed.
ProbeShape live_probe_shape(const Job& job, const ProbeConfig& config);

}  // namespace headroom
