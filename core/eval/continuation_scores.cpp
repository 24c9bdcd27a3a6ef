#include "core/eval/continuation_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/decode/check_logits.h"
#include "core/decode/decoding_session.h"
#include "core/model/token_ids.h"

namespace headroom {
namespace {

/// What the model reads for a request, and where the continuation starts in it.
struct Input {
    std::vector<int32_t> tokens;
    size_t targets = 0;  ///< tokens of the continuation that are scored
};

Input input_of(const ContinuationRequest& request, int64_t longest) {
    Input input{request.context, request.continuation.size()};
    input.tokens.insert(input.tokens.end(), request.continuation.begin(),
                        request.continuation.end());
    const auto most = static_cast<size_t>(longest) + 1;
    if (input.tokens.size() > most)
        input.tokens.erase(input.tokens.begin(),
                           input.tokens.end() - static_cast<std::ptrdiff_t>(most));
    input.tokens.pop_back();
    return input;
}

void check(const ContinuationRequest& request, const ModelConfig& model) {
    if (request.context.empty() || request.continuation.empty())
        throw UserError("a text to score has no tokens before or behind the split",
                        "give a context and a continuation");
    for (const auto* tokens : {&request.context, &request.continuation})
        check_token_ids(model, *tokens);
    if (std::ssize(request.continuation) > model.block_size)
        throw UserError(fmt::format("a continuation of {} tokens is more than the {} that the "
                                    "model reads at once (block_size)",
                                    request.continuation.size(), model.block_size),
                        "leave such items out, or take a model that reads more");
}

/// log-softmax of one row at `token`, and whether no other token is likelier.
std::pair<double, bool> log_probability(std::span<const double> logits, int32_t token) {
    const double most = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit - most);
    const auto likeliest = std::max_element(logits.begin(), logits.end()) - logits.begin();
    return {logits[static_cast<size_t>(token)] - most - std::log(sum), likeliest == token};
}

/// The last tokens of the continuation, one for each row of logits.
ContinuationScore score(size_t targets, std::span<const int32_t> continuation,
                        std::span<const double> logits) {
    check_logits(logits);
    const size_t vocab_size = logits.size() / targets;
    ContinuationScore result{0, true};
    for (size_t i = 0; i < targets; ++i) {
        const int32_t token = continuation[continuation.size() - targets + i];
        const auto [log, greedy] =
            log_probability(logits.subspan(i * vocab_size, vocab_size), token);
        result.log_probability += log;
        result.greedy = result.greedy && greedy;
    }
    return result;
}

/// What the model has to read anew for a text, behind what is in the cache.
struct Reading {
    size_t common = 0;   ///< tokens that are in the cache
    size_t context = 0;  ///< tokens up to which they are taken in for the cache, and one prediction
    size_t targets = 0;  ///< tokens behind those, each with its prediction

    /// REQUIRES: what is held is not the same text with as many targets.
    Reading(const Input& input, std::span<const int32_t> held) : targets(input.targets) {
        const std::vector<int32_t>& tokens = input.tokens;
        const auto [differs, ignored] =
            std::mismatch(tokens.begin(), tokens.end(), held.begin(), held.end());
        context = tokens.size() - input.targets;
        common = std::min(static_cast<size_t>(differs - tokens.begin()), context);
        if (input.targets > 1) return;
        context = tokens.size();  // whose prediction is all that is asked
        targets = 0;
    }
};

/// How many tokens the two kinds of passes have. What they are given is padded to that, as every
/// width is a graph of its own.
struct PassWidths {
    int64_t context = 1, targets = 1;
};

/// Finds the width of passes with which texts of some lengths cost least.
class WidthChoice {
  public:
    void add(size_t tokens) {
        for (size_t i = 0; i < kWidths.size(); ++i) {
            const int64_t passes = (static_cast<int64_t>(tokens) + kWidths[i] - 1) / kWidths[i];
            costs_[i] += passes * (kWidths[i] + kRowsOfReading);
        }
    }
    int64_t best() const {
        const auto least = std::min_element(costs_.begin(), costs_.end());
        return kWidths[static_cast<size_t>(least - costs_.begin())];
    }

  private:
    static constexpr std::array<int64_t, 6> kWidths{4, 8, 16, 32, 64, 128};
    /// Reading all weights, which every pass does, takes about as long as computing these rows.
    static constexpr int64_t kRowsOfReading = 16;

    std::array<int64_t, 6> costs_{};
};

/// For texts in this order.
PassWidths pass_widths(std::span<const Input> inputs, std::span<const size_t> order) {
    WidthChoice context, targets;
    const Input none;
    const Input* held = &none;
    for (const size_t i : order) {
        if (inputs[i].tokens == held->tokens && inputs[i].targets == held->targets) continue;
        const Reading reading(inputs[i], held->tokens);
        context.add(reading.context - reading.common);
        targets.add(reading.targets);
        held = &inputs[i];
    }
    return {context.best(), targets.best()};
}

/// A model's logits before the last tokens of one text after another. Of what a text has in common
/// with the one before it keys and values are still in the cache.
class PrefixCache {
  public:
    PrefixCache(const WeightSource& weights, DType precision, int64_t capacity,
                const PassWidths& widths, Device& device)
        : session_(weights.config(), precision, {1, capacity, widths.context, widths.targets},
                   device),
          step_(std::min(widths.targets, capacity)) {
        session_.load(weights);
    }

    /// Of the last input.targets tokens, row-major [targets, vocab_size].
    const std::vector<double>& logits(const Input& input) {
        if (input.tokens == held_ && input.targets == targets_) return logits_;
        const Reading reading(input, held_);
        const std::span<const int32_t> tokens(input.tokens);
        session_.rewind(static_cast<int64_t>(reading.common));
        if (reading.common < reading.context)
            session_.prefill(tokens.subspan(reading.common, reading.context - reading.common));
        logits_.clear();
        if (reading.targets == 0) logits_ = session_.logits();
        for (size_t first = reading.context; first < tokens.size();) {
            const size_t count = std::min(static_cast<size_t>(step_), tokens.size() - first);
            session_.step(tokens.subspan(first, count));
            const std::vector<double> rows = session_.logits();
            logits_.insert(logits_.end(), rows.begin(), rows.end());
            first += count;
        }
        held_ = input.tokens;
        targets_ = input.targets;
        return logits_;
    }

  private:
    DecodingSession session_;
    int64_t step_;               ///< most tokens of a pass over targets
    std::vector<int32_t> held_;  ///< whose keys and values are in the cache
    size_t targets_ = 0;
    std::vector<double> logits_;
};

}  // namespace

std::vector<ContinuationScore> score_continuations(const WeightSource& weights, DType precision,
                                                   Device& device,
                                                   std::span<const ContinuationRequest> requests,
                                                   const std::function<void(size_t done)>& tell) {
    weights.check_reads_tokens();
    const ModelConfig& model = weights.config();
    if (!model.causal)
        throw UserError(weights.title() + " has no causal mask and predicts no next token",
                        "take a model with model.causal = true");
    std::vector<Input> inputs;
    for (const ContinuationRequest& request : requests) {
        check(request, model);
        inputs.push_back(input_of(request, model.block_size));
    }
    std::vector<size_t> order(requests.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return inputs[a].tokens < inputs[b].tokens; });
    size_t longest = 0;
    for (const Input& input : inputs) longest = std::max(longest, input.tokens.size());
    std::vector<ContinuationScore> scores(requests.size());
    if (requests.empty()) return scores;
    PrefixCache cache(weights, precision, static_cast<int64_t>(longest), pass_widths(inputs, order),
                      device);
    for (size_t done = 0; done < order.size(); ++done) {
        const Input& input = inputs[order[done]];
        scores[order[done]] =
            score(input.targets, requests[order[done]].continuation, cache.logits(input));
        if (tell) tell(done + 1);
    }
    return scores;
}

}  // namespace headroom
