#include "core/bench/decode_bench.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/bench/timings.h"
#include "core/decode/decoding_session.h"
#include "core/ops/cached_attention.h"
#include "core/stats/median.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

constexpr int64_t kStepsInTurn = 4;
std::vector<int32_t> some_tokens(int64_t count, int64_t vocab_size) {
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<int32_t>((i * 7919 + 13) % vocab_size));
    return tokens;
}

/// Numbers of the caches that the layers' attention reads of one position of one sequence. What
/// several layers share each of them reads: between two of them the rest of the model has gone
/// through the processor.
int64_t cached_numbers_read(const Graph& graph) {
    int64_t numbers = 0;
    for (const Node& node : graph.nodes()) {
        const auto* attention = dynamic_cast<const CachedAttention*>(node.op.get());
        if (attention == nullptr || node.phase != Phase::kDecode) continue;
        std::set<std::tuple<int, int64_t, int64_t, int64_t>> parts;  // read once for all heads
        for (const auto* heads : {&attention->options().keys, &attention->options().values})
            for (const std::vector<CacheSegment>& head : *heads)
                for (const CacheSegment& s : head)
                    parts.insert({s.cache, s.head, s.first, s.width});
        for (const auto& part : parts) numbers += std::get<3>(part);
    }
    return numbers;
}

/// What was measured of one model in one case, round after round.
struct Times {
    std::vector<double> prefills;  ///< seconds
    std::vector<double> steps;
    DecodeBench facts;  ///< what needs no repetition
};

int64_t chunk_of(const DecodeCase& c, const Device& device) {
    return std::min(c.context, device.prefill_chunk(c.batch_size));
}

/// A model ready to decode.
class Contestant {
  public:
    Contestant(const ModelConfig& model, const DecodeCase& c, const DecodeBenchOptions& options,
               Device& device)
        : options_(options),
          context_(c.context),
          session_(model, options.precision,
                   {c.batch_size, c.context + options.new_tokens, chunk_of(c, device)}, device),
          prompt_(some_tokens(c.batch_size * c.context, model.vocab_size)),
          next_(some_tokens(c.batch_size, model.vocab_size)) {
        initialize_weights(session_.executor(), session_.graph().parameters, 1);
        const int64_t first_chunk = c.batch_size * chunk_of(c, device);
        for (int n = 0; n < kWarmUps; ++n) {
            session_.restart();
            session_.prefill(some_tokens(first_chunk, model.vocab_size));
            session_.step(next_);
        }
        session_.wait();
    }

    void prefill(Times& times) {
        session_.restart();
        const double start = now_s();
        session_.prefill(prompt_);
        session_.wait();
        times.prefills.push_back(now_s() - start);
    }

    void take_turn(int64_t steps, Times& times) {
        for (int64_t n = 0; n < steps; ++n) {
            const double before = now_s();
            session_.step(next_);
            session_.wait();  // as sampling must
            times.steps.push_back(now_s() - before);
        }
    }

    /// The steps of a round once more, by operator.
    std::vector<OpTime> time_ops() {
        session_.restart();
        session_.prefill(prompt_);
        session_.executor().set_timing(true);
        for (int64_t n = 0; n < options_.new_tokens; ++n) session_.step(next_);
        std::vector<OpTime> ops = session_.executor().times();
        session_.executor().set_timing(false);
        for (OpTime& op : ops) {
            op.seconds /= static_cast<double>(options_.new_tokens);
            op.launches /= options_.new_tokens;
            op.cost.flops /= static_cast<double>(options_.new_tokens);
            op.cost.bytes /= static_cast<double>(options_.new_tokens);
        }
        return ops;
    }

    DecodeBench facts() const {
        const MemoryLedger& ledger = session_.ledger();
        const auto number = static_cast<int64_t>(size_of(options_.precision));
        const auto batch_size = static_cast<int64_t>(next_.size());
        const int64_t read = batch_size * number * cached_numbers_read(session_.graph().graph);
        const int64_t kept =
            batch_size * count_cache(session_.model()).bytes_per_token(options_.precision);
        const int64_t products = count_flops(session_.model(), 1).product_parameters;
        DecodeBench bench;
        const int64_t positions = context_ + options_.new_tokens / 2;
        bench.bytes_per_step = static_cast<double>(products * number + read * positions);
        bench.weight_bytes = ledger.weights;
        bench.cache_bytes = session_.cache_bytes();
        bench.other_bytes = ledger.total - ledger.weights - ledger.cache;
        bench.predicted_cache_bytes = kept * session_.capacity();
        return bench;
    }

  private:
    const DecodeBenchOptions& options_;
    int64_t context_;
    DecodingSession session_;
    std::vector<int32_t> prompt_, next_;
};

/// One case and what was measured in it.
class CaseTimes {
  public:
    explicit CaseTimes(const DecodeCase& c) : case_(c), times_(c.models.size()) {}

    void run_round(const DecodeBenchOptions& options, DeviceCeilings& device_ceilings,
                   Device& device, int round) {
        const bool last = round + 1 == options.rounds;
        std::vector<std::unique_ptr<Contestant>> contestants;
        for (const ModelConfig& model : case_.models)
            contestants.push_back(std::make_unique<Contestant>(model, case_, options, device));
        for (const size_t i : order(round % 2 != 0)) contestants[i]->prefill(times_[i]);
        for (int64_t left = options.new_tokens; left > 0;) {
            // Who comes after the other finds other things in the caches: both ways round.
            for (const bool reversed : {false, true}) {
                const int64_t steps = std::min(kStepsInTurn, left);
                left -= steps;
                if (steps > 0) rates_.push_back(device_ceilings.memory_rate());
                for (const size_t i : order(reversed)) contestants[i]->take_turn(steps, times_[i]);
            }
        }
        for (size_t i = 0; last && i < contestants.size(); ++i) {
            times_[i].facts = contestants[i]->facts();
            if (options.by_op) times_[i].facts.ops = contestants[i]->time_ops();
        }
    }

    std::vector<DecodeBench> results() const {
        std::vector<DecodeBench> list;
        for (const Times& times : times_) {
            DecodeBench bench = times.facts;
            bench.prefill_ms_per_100_tokens =
                1e5 * median(times.prefills) / static_cast<double>(case_.context);
            bench.step_seconds = median(times.steps);
            bench.tokens_per_second = static_cast<double>(case_.batch_size) / bench.step_seconds;
            bench.memory_rate = median(rates_);
            bench.prefill_speed = median_ratio(times_.front().prefills, times.prefills);
            bench.step_speed =
                median_ratio(both_ways(times_.front().steps), both_ways(times.steps));
            list.push_back(std::move(bench));
        }
        return list;
    }

  private:
    std::vector<size_t> order(bool reversed) const {
        std::vector<size_t> indices(times_.size());
        std::iota(indices.begin(), indices.end(), size_t{0});
        if (reversed) std::reverse(indices.begin(), indices.end());
        return indices;
    }

    /// Steps of two turns, one in either order, that belong together; all of them if there are not
    /// even two turns.
    static std::vector<double> both_ways(const std::vector<double>& steps) {
        std::vector<double> sums;
        const auto turn = static_cast<size_t>(kStepsInTurn);
        for (size_t first = 0; first + turn < steps.size(); ++first)
            if (first / turn % 2 == 0) sums.push_back(steps[first] + steps[first + turn]);
        return sums.empty() ? steps : sums;
    }

    static double median_ratio(const std::vector<double>& of, const std::vector<double>& over) {
        std::vector<double> ratios;
        for (size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / over[i]);
        return median(std::move(ratios));
    }

    DecodeCase case_;
    std::vector<Times> times_;
    std::vector<double> rates_;  ///< of memory, bytes per second
};

}  // namespace

std::vector<std::vector<DecodeBench>> bench_decoding(const std::vector<DecodeCase>& cases,
                                                     const DecodeBenchOptions& options,
                                                     Device& device) {
    const std::unique_ptr<DeviceCeilings> device_ceilings = device.ceilings();
    std::vector<CaseTimes> all(cases.begin(), cases.end());
    for (int round = 0; round < options.rounds; ++round)
        for (size_t i = 0; i < all.size(); ++i) {
            options.progress(fmt::format("round {} of {}: batch {}, context {} ({} of {})",
                                         round + 1, options.rounds, cases[i].batch_size,
                                         cases[i].context, i + 1, all.size()));
            all[i].run_round(options, *device_ceilings, device, round);
        }
    std::vector<std::vector<DecodeBench>> results;
    for (const CaseTimes& times : all) results.push_back(times.results());
    return results;
}

}  // namespace headroom
