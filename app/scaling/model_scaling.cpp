#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/scaling/scaling_folder.h"
#include "app/scaling/scaling_work.h"
#include "core/account/flops.h"
#include "core/bench/probe_bench.h"
#include "core/bench/train_bench.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

constexpr int64_t kBatchSize = 4;

/// The model whose sizes are changed one at a time.
struct Sizes {
    int64_t n_layer = 4, vocab_size = 256, seq_len = 128;
};
constexpr int64_t kDModel = 128, kHeads = 4;

Job job_of(const Sizes& sizes) {
    return parse_job({{"model",
                       {{"n_layer", sizes.n_layer},
                        {"d_model", kDModel},
                        {"n_head", kHeads},
                        {"block_size", sizes.seq_len},
                        {"vocab_size", sizes.vocab_size}}},
                      {"train", {{"batch_size", kBatchSize}, {"seq_len", sizes.seq_len}}}},
                     "");
}

ScalingWork step_work(Device& device, const std::string& size_name, std::vector<double> sizes,
                      int64_t Sizes::*changed) {
    const auto job_at = [changed](double size) {
        Sizes of;
        of.*changed = static_cast<int64_t>(size);
        return job_of(of);
    };
    const Sizes kept;
    std::string setting = fmt::format("d_model {}, batch_size {}, float32", kDModel, kBatchSize);
    if (changed != &Sizes::n_layer) setting += fmt::format(", n_layer {}", kept.n_layer);
    if (changed != &Sizes::vocab_size) setting += fmt::format(", vocab_size {}", kept.vocab_size);
    if (changed != &Sizes::seq_len) setting += fmt::format(", seq_len {}", kept.seq_len);
    return {"step",
            "training step",
            size_name,
            "FLOPs",
            setting,
            std::move(sizes),
            [job_at](double size) {
                const Job job = job_at(size);
                return static_cast<double>(count_flops(job.model, job.train.seq_len).training() *
                                           kBatchSize * job.train.seq_len);
            },
            [job_at, &device](double size) -> std::function<double()> {
                return [job = job_at(size), &device] { return time_training_step(job, device); };
            }};
}

/// A probe that keeps all maps of one sequence.
ScalingWork probe_work(Device& device) {
    const auto model_at = [](double size) {
        Sizes of;
        of.seq_len = static_cast<int64_t>(size);
        return job_of(of).model;
    };
    return {"probe",
            "attention probe",
            "seq_len",
            "values of the maps",
            fmt::format("n_layer {}, n_head {}, all maps written", Sizes{}.n_layer, kHeads),
            {128, 256, 512, 1024, 2048},
            [model_at](double size) {
                const ModelConfig model = model_at(size);
                return static_cast<double>(model.n_layer * model.n_head) * size * size;
            },
            [model_at, &device](double size) -> std::function<double()> {
                const auto folder = std::make_shared<ScalingFolder>();
                return [folder, size, model = model_at(size), &device] {
                    ProbeBenchOptions options;
                    options.seq_len = static_cast<int64_t>(size);
                    options.record = folder->path() / "maps.h5";
                    options.rounds = 1;
                    const ProbeBench bench = bench_attention_record(model, options, device);
                    return bench.pass_s + bench.write_s;
                };
            }};
}

}  // namespace

std::vector<ScalingWork> model_scaling(Device& device) {
    return {step_work(device, "seq_len", {64, 128, 256, 512, 1024}, &Sizes::seq_len),
            step_work(device, "n_layer", {2, 4, 8, 16}, &Sizes::n_layer),
            step_work(device, "vocab_size", {256, 1024, 4096, 16384, 65536}, &Sizes::vocab_size),
            probe_work(device)};
}

}  // namespace headroom
