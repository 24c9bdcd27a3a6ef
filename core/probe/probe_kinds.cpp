#include "core/probe/probe_kinds.h"

#include <algorithm>
#include <span>

#include "core/probe/attention_probe.h"
#include "core/probe/heads_probe.h"
#include "core/probe/lens_probe.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/mixing_probe.h"
#include "core/probe/similarity_probe.h"
#include "core/probe/weights_probe.h"
#include "core/weights/live_weights.h"

namespace headroom {
namespace {

/// The weights as they are now.
LiveWeights live_weights(const LiveProbe& probe) {
    return {probe.executor, probe.parameters, probe.job.model};
}

/// A kind that looks at one pass over the tokens with the weights as they are now.
ProbeKind pass_kind(const std::string& name, ProbeTaps (*taps)(const ModelConfig&),
                    void (*write)(const LiveProbe&, const ProbePass&, ArrayFileWriter&)) {
    return {name,
            [=](const LiveProbe& probe, ArrayFileWriter& file) {
                ProbePass pass(probe.job.model, live_probe_shape(probe.job, probe.config),
                               taps(probe.job.model), probe.device);
                pass.load(live_weights(probe));
                pass.run(probe.tokens.ids);
                write(probe, pass, file);
            },
            [=](const Job& job, const ProbeConfig& config, int threads) {
                return ProbePass::memory(job.model, live_probe_shape(job, config), taps(job.model),
                                         threads)
                    .total;
            }};
}

void write_attention(const LiveProbe& probe, const ProbePass& pass, ArrayFileWriter& file) {
    AttentionRecordOptions options;
    options.logits = probe.config.logits;
    options.dtype = pass.shape().precision == DType::kF64 ? DType::kF64 : DType::kF32;
    write_attention_record(file, pass, 0, options);
}

void write_heads(const LiveProbe& probe, const ProbePass& pass, ArrayFileWriter& file) {
    const ProbeShape& shape = pass.shape();
    HeadScoreSum sum(probe.job.model.n_layer, probe.job.model.n_head, shape.seq_len);
    const std::span<const int32_t> ids(probe.tokens.ids);
    const auto length = static_cast<size_t>(shape.seq_len);
    for (int64_t b = 0; b < shape.batch_size; ++b)
        sum.add(pass, b, ids.subspan(static_cast<size_t>(b) * length, length));
    write_head_scores(file, sum.mean());
}

/// Every token of the streams, in float64.
ProbeTaps stream_taps(const ModelConfig&) {
    ProbeTaps taps;
    taps.streams = true;
    return taps;
}

void write_lens_of(const LiveProbe& probe, const ProbePass& pass, ArrayFileWriter& file) {
    LensSum sum(live_weights(probe));
    sum.add(pass, probe.tokens.ids);
    write_lens(file, sum.mean());
}

void write_mixing_of(const LiveProbe& probe, const ProbePass& pass, ArrayFileWriter& file) {
    StreamNormSum norms;
    norms.add(pass);
    write_mixing(file, mixing_weights(live_weights(probe)), norms.mean());
}

void write_similarity_of(const LiveProbe&, const ProbePass& pass, ArrayFileWriter& file) {
    write_similarity(file, measure_similarity(pass));
}

void run_weights(const LiveProbe& probe, ArrayFileWriter& file) {
    const LiveWeights weights = live_weights(probe);
    GradientPass gradients(probe.job.model, live_probe_shape(probe.job, probe.config), 1,
                           probe.device);
    gradients.load(weights);
    gradients.run(probe.tokens.ids);
    write_weights(file, measure_weights(weights, gradients));
}

int64_t weights_bytes(const Job& job, const ProbeConfig& config, int threads) {
    return GradientPass::memory(job.model, live_probe_shape(job, config), threads).total;
}

LinearProbeOptions linear_options(const ProbeConfig& config) {
    LinearProbeOptions options;
    options.steps = config.steps;
    options.control = config.control;
    if (!config.rates.empty()) options.rates = config.rates;
    return options;
}

void run_linear(const LiveProbe& probe, ArrayFileWriter& file) {
    LinearProbeOptions options = linear_options(probe.config);
    options.keep_going = probe.keep_going;
    const auto load = [&](ProbePass& pass) { pass.load(live_weights(probe)); };
    write_linear_probe(file,
                       train_linear_probes(probe.job, probe.data, load, options, probe.device));
}

int64_t linear_bytes(const Job& job, const ProbeConfig& config, int threads) {
    return linear_probe_bytes(job, linear_options(config), threads);
}

}  // namespace

const std::vector<ProbeKind>& probe_kinds() {
    static const std::vector<ProbeKind> kinds{
        pass_kind("attention", ProbeTaps::all_attention, write_attention),
        pass_kind("heads", ProbeTaps::all_attention, write_heads),
        pass_kind("lens", stream_taps, write_lens_of),
        {"linear", run_linear, linear_bytes},
        pass_kind("mixing", stream_taps, write_mixing_of),
        pass_kind("similarity", similarity_taps, write_similarity_of),
        {"weights", run_weights, weights_bytes},
    };
    return kinds;
}

const ProbeKind& find_probe_kind(const std::string& name) {
    const auto found = std::find_if(probe_kinds().begin(), probe_kinds().end(),
                                    [&](const ProbeKind& kind) { return kind.name == name; });
    CHECK(found != probe_kinds().end(), name + " is no kind of probe");
    return *found;
}

ProbeShape live_probe_shape(const Job& job, const ProbeConfig& config) {
    return {config.batch_size, config.seq_len > 0 ? config.seq_len : job.train.seq_len,
            job.precision};
}

}  // namespace headroom
