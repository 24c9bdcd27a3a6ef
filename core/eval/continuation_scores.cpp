#include "core/eval/continuation_scores.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/decode/loaded_model.h"

namespace headroom {
namespace {

/// Lengths are rounded up to this many tokens; what stands behind does not reach back.
constexpr int64_t kLengthStep = 32;

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

/// The last tokens of the continuation under the logits of `input`.
ContinuationScore score(const Input& input, std::span<const int32_t> continuation,
                        std::span<const double> logits, size_t vocab_size) {
    ContinuationScore result{0, true};
    for (size_t i = 0; i < input.targets; ++i) {
        const size_t position = input.tokens.size() - input.targets + i;
        const int32_t token = continuation[continuation.size() - input.targets + i];
        const auto [log, greedy] =
            log_probability(logits.subspan(position * vocab_size, vocab_size), token);
        result.log_probability += log;
        result.greedy = result.greedy && greedy;
    }
    return result;
}

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
        const auto &x = inputs[a].tokens, &y = inputs[b].tokens;
        return x.size() != y.size() ? x.size() > y.size() : x < y;  // the longest first
    });
    std::vector<ContinuationScore> scores(requests.size());
    std::unique_ptr<LoadedModel> loaded;
    std::vector<double> logits;
    const std::vector<int32_t>* read = nullptr;  // what the logits are of
    int64_t length = 0;
    for (size_t done = 0; done < order.size(); ++done) {
        const Input& input = inputs[order[done]];
        const auto tokens = static_cast<int64_t>(input.tokens.size());
        const int64_t wanted =
            std::min(model.block_size, (tokens + kLengthStep - 1) / kLengthStep * kLengthStep);
        if (loaded == nullptr || wanted != length) {
            loaded.reset();  // before the next one takes its memory
            loaded = std::make_unique<LoadedModel>(weights, precision, wanted, device);
            length = wanted;
            read = nullptr;
        }
        if (read == nullptr || *read != input.tokens) {
            std::vector<int32_t> padded = input.tokens;
            padded.resize(static_cast<size_t>(length), 0);
            logits = loaded->logits<double>(padded);
            read = &input.tokens;
        }
        scores[order[done]] = score(input, requests[order[done]].continuation, logits,
                                    static_cast<size_t>(model.vocab_size));
        if (tell) tell(done + 1);
    }
    return scores;
}

}  // namespace headroom
