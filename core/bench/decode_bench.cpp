#include "core/bench/decode_bench.h"

#include <algorithm>
#include <memory>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/base/clock.h"
#include "core/decode/decoding_session.h"
#include "core/model/weights_io.h"

namespace headroom {
namespace {

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::vector<int32_t> random_tokens(int64_t count, int64_t vocab_size) {
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<int32_t>((i * 7919 + 13) % vocab_size));
    return tokens;
}

class Contestant {
  public:
    Contestant(const ModelConfig& model, const DecodeBenchOptions& options, Device& device)
        : options_(options),
          session_(model, options.precision,
                   {options.batch_size, options.context + options.new_tokens,
                    chunk_for(options.context)},
                   device),
          prompt_(random_tokens(options.batch_size * options.context, model.vocab_size)),
          next_(random_tokens(options.batch_size, model.vocab_size)) {
        initialize_weights(session_.executor(), session_.graph().parameters, 1);
        run_round();  // page faults, the library's kernels
        prefill_seconds_.clear();
        step_seconds_.clear();
    }

    void run_round() {
        session_.restart();
        const double start = now_s();
        session_.prefill(prompt_);
        prefill_seconds_.push_back(now_s() - start);
        for (int64_t n = 0; n < options_.new_tokens; ++n) {
            const double before = now_s();
            session_.step(next_);
            step_seconds_.push_back(now_s() - before);
        }
    }

    DecodeBench result() const {
        const MemoryLedger& ledger = session_.ledger();
        const CacheCount count = count_cache(session_.model());
        const int64_t per_position =
            options_.batch_size * count.bytes_per_token(options_.precision);
        const int64_t products = count_flops(session_.model(), 1).product_parameters;
        DecodeBench bench;
        bench.prefill_ms_per_100_tokens =
            1e5 * median(prefill_seconds_) / static_cast<double>(options_.context);
        bench.step_seconds = median(step_seconds_);
        bench.tokens_per_second = static_cast<double>(options_.batch_size) / bench.step_seconds;
        bench.bytes_per_step =
            static_cast<double>(products * static_cast<int64_t>(size_of(options_.precision))) +
            static_cast<double>(per_position * (options_.context + options_.new_tokens / 2));
        bench.weight_bytes = ledger.weights;
        bench.cache_bytes = session_.cache_bytes();
        bench.other_bytes = ledger.total - ledger.weights - ledger.cache;
        bench.predicted_cache_bytes = per_position * session_.capacity();
        return bench;
    }

  private:
    DecodeBenchOptions options_;
    DecodingSession session_;
    std::vector<int32_t> prompt_, next_;
    std::vector<double> prefill_seconds_, step_seconds_;
};

}  // namespace

std::vector<DecodeBench> bench_decoding(const std::vector<ModelConfig>& models,
                                        const DecodeBenchOptions& options, Device& device) {
    std::vector<std::unique_ptr<Contestant>> contestants;
    for (const ModelConfig& model : models)
        contestants.push_back(std::make_unique<Contestant>(model, options, device));
    for (int round = 0; round < options.rounds; ++round)
        for (const auto& contestant : contestants) contestant->run_round();
    std::vector<DecodeBench> results;
    for (const auto& contestant : contestants) results.push_back(contestant->result());
    return results;
}

}  // namespace headroom
