#include "core/eval/continuation_scores.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/decode/decoding_session.h"

namespace headroom {
namespace {

/// Tokens of a context that one pass takes in.
constexpr int64_t kChunk = 128;

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
    input.targets = std::min(input.targets, input.tokens.size());
    return input;
}

void check(const ContinuationRequest& request, const ModelConfig& model) {
    if (request.context.empty() || request.continuation.empty())
        throw UserError("a text to score has no tokens before or behind the split",
                        "give a context and a continuation");
    for (const auto* tokens : {&request.context, &request.continuation})
        for (const int32_t token : *tokens)
            if (token < 0 || token >= model.vocab_size)
                throw UserError(fmt::format("token {} is outside the model's vocabulary of {}",
                                            token, model.vocab_size),
                                "use the tokenizer that the model was trained with");
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

/// How many tokens a pass over the targets has: few sizes, as each is a graph of its own, and at
/// most a quarter of a long one's rows are padding.
int64_t step_of(const Input& input) {
    const auto targets = static_cast<int64_t>(input.targets);
    int64_t unit = 4;
    while (unit * 4 < targets) unit *= 2;
    return (targets + unit - 1) / unit * unit;
}

/// A model's logits before the last tokens of one text after another. Of what a text has in common
/// with the one before it keys and values are still in the cache.
class PrefixCache {
  public:
    PrefixCache(const WeightSource& weights, DType precision, int64_t capacity, int64_t step,
                Device& device)
        : session_(weights.config(), precision, {1, capacity, kChunk, step}, device) {
        session_.load(weights);
    }

    /// Of the last input.targets tokens, row-major [targets, vocab_size].
    const std::vector<double>& logits(const Input& input) {
        const std::vector<int32_t>& tokens = input.tokens;
        if (tokens == held_ && input.targets == targets_) return logits_;
        const size_t context = tokens.size() - input.targets;
        const auto [differs, ignored] =
            std::mismatch(tokens.begin(), tokens.end(), held_.begin(), held_.end());
        const size_t common = std::min(static_cast<size_t>(differs - tokens.begin()), context);
        const std::span<const int32_t> all(tokens);
        session_.rewind(static_cast<int64_t>(common));
        // One target's logits come with its context, without a pass of their own.
        const size_t read = input.targets == 1 ? tokens.size() : context;
        if (common < read) session_.prefill(all.subspan(common, read - common));
        if (read < tokens.size()) session_.step(all.subspan(read));
        held_ = tokens;
        targets_ = input.targets;
        logits_ = session_.logits();
        return logits_;
    }

  private:
    DecodingSession session_;
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
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const int64_t step_a = step_of(inputs[a]), step_b = step_of(inputs[b]);
        return step_a != step_b ? step_a > step_b : inputs[a].tokens < inputs[b].tokens;
    });
    size_t longest = 0;
    for (const Input& input : inputs) longest = std::max(longest, input.tokens.size());
    std::vector<ContinuationScore> scores(requests.size());
    std::unique_ptr<PrefixCache> cache;
    int64_t step = 0;
    for (size_t done = 0; done < order.size(); ++done) {
        const Input& input = inputs[order[done]];
        if (step != step_of(input)) {
            step = step_of(input);
            cache.reset();  // before the next one takes its memory
            cache = std::make_unique<PrefixCache>(weights, precision, static_cast<int64_t>(longest),
                                                  step, device);
        }
        scores[order[done]] =
            score(input.targets, requests[order[done]].continuation, cache->logits(input));
        if (tell) tell(done + 1);
    }
    return scores;
}

}  // namespace headroom
