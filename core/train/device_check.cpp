#include "core/train/device_check.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/data/random_tokens.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

/// Grouped heads and a sequence that is no multiple of any tile.
Job small_job(DType precision) {
    Job job;
    job.model = parse_model_config(nlohmann::json{{"n_layer", 2},
                                                  {"n_head", 4},
                                                  {"n_kv_head", 2},
                                                  {"d_model", 128},
                                                  {"d_ff", 256},
                                                  {"vocab_size", 101},
                                                  {"block_size", 80}},
                                   "");
    job.precision = precision;
    job.train.batch_size = 2;
    job.train.seq_len = 70;
    job.train.warmup_steps = 1;
    return job;
}

std::vector<StepResult> train(const Job& job, Device& device) {
    const RandomTokens data(job.model.vocab_size);
    TrainingSession session(job, data, device);
    session.initialize();
    std::vector<StepResult> results;
    for (int step = 1; step <= 3; ++step) results.push_back(session.step(step));
    return results;
}

/// Also true for what is not a number.
bool differ(double a, double b, double tolerance) {
    return !(std::abs(a - b) <= tolerance * std::abs(b));
}

std::string difference(Device& device, Device& cpu, DType precision, double tolerance) {
    const Job job = small_job(precision);
    const std::vector<StepResult> here = train(job, device), there = train(job, cpu);
    for (size_t n = 0; n < here.size(); ++n) {
        const std::string where = fmt::format("step {} in {}", n + 1, name_of(precision));
        if (differ(here[n].loss, there[n].loss, tolerance))
            return fmt::format("{}: loss {:.6g} where the CPU has {:.6g}", where, here[n].loss,
                               there[n].loss);
        if (differ(here[n].grad_norm, there[n].grad_norm, tolerance))
            return fmt::format("{}: gradient norm {:.6g} where the CPU has {:.6g}", where,
                               here[n].grad_norm, there[n].grad_norm);
    }
    return "";
}

}  // namespace

std::string difference_from_cpu(Device& device) {
    const std::unique_ptr<Device> cpu = make_cpu_device();
    const std::string in_float = difference(device, *cpu, DType::kF32, 1e-4);
    return in_float.empty() ? difference(device, *cpu, DType::kBF16, 2e-2) : in_float;
}

}  // namespace headroom
