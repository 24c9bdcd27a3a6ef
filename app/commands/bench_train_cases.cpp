#include "app/commands/bench_train_cases.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/job_loading.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

Job job_of(const std::vector<std::string>& sets) {
    nlohmann::json document = nlohmann::json::object();
    apply_sets(document, sets);
    Job job = parse_job(document, "");
    if (job.model.vocab_size == 0) job.model.vocab_size = 256;
    return job;
}

std::vector<BenchCase> cpu_cases() {
    const auto shape = [](const char* precision, int n_layer, int d_model, int n_head,
                          int batch_size) {
        return job_of({fmt::format("precision={}", precision),
                       fmt::format("model.n_layer={}", n_layer),
                       fmt::format("model.d_model={}", d_model),
                       fmt::format("model.n_head={}", n_head), "model.block_size=256",
                       fmt::format("train.batch_size={}", batch_size), "train.seq_len=256"});
    };
    const auto gpt2 = [](const char* precision) {
        return job_of({fmt::format("precision={}", precision), "model.preset=gpt2-124m",
                       "train.batch_size=2", "train.seq_len=256"});
    };
    std::vector<BenchCase> cases{{"d384-l6 float32", shape("float32", 6, 384, 6, 8)},
                                 {"gpt2-124m float32", gpt2("float32")},
                                 {"d768-l6 float32", shape("float32", 6, 768, 12, 8)}};
    if (CpuGemm::native_bf16()) {
        cases.push_back({"d768-l6 bfloat16", shape("bfloat16", 6, 768, 12, 8)});
        cases.push_back({"gpt2-124m bfloat16", gpt2("bfloat16")});
    }
    return cases;
}

/// GPT-2 124M as nanoGPT trains it: a vocabulary of 50,304, 1024 tokens a sequence.
std::vector<BenchCase> cuda_cases() {
    const auto gpt2 = [](const char* precision, std::vector<std::string> more) {
        more.insert(more.begin(),
                    {fmt::format("precision={}", precision), "model.preset=gpt2-124m",
                     "model.vocab_size=50304", "train.batch_size=16", "train.seq_len=1024"});
        return job_of(more);
    };
    return {{"gpt2-124m bfloat16", gpt2("bfloat16", {})},
            {"gpt2-124m bfloat16 SkipV1Former", gpt2("bfloat16", {"model.value_source=skip"})},
            {"gpt2-124m bfloat16 W_Q = I", gpt2("bfloat16", {"model.query=identity"})},
            {"gpt2-124m float32", gpt2("float32", {})}};
}

}  // namespace

std::vector<BenchCase> bench_train_cases(const BenchTrainModel& model, std::string_view device) {
    if (!model.job.empty()) {
        Job job = load_job_for_run(model.job, model.sets);
        if (job.model.vocab_size == 0) job.model.vocab_size = 256;
        return {{job.name, job}};
    }
    std::vector<std::string> sets = model.sets;
    if (!model.preset.empty()) sets.insert(sets.begin(), "model.preset=" + model.preset);
    if (!sets.empty()) return {{model.preset.empty() ? "given" : model.preset, job_of(sets)}};
    return device == "cuda" ? cuda_cases() : cpu_cases();
}

}  // namespace headroom
