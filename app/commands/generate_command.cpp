#include "app/commands/generate_command.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/decode/decoding_session.h"
#include "core/decode/sampler.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

struct Arguments {
    CheckpointArguments checkpoint;
    std::string prompt, tokenizer, dtype = "f32", device = "auto";
    SamplingOptions sampling;
    int64_t max_new = 100;
    bool json = false;
};

/// The one that the checkpoint was trained with, or the one that is given.
std::shared_ptr<const Tokenizer> tokenizer_of(const ModelWeights& weights,
                                              const std::string& given) {
    std::shared_ptr<const Tokenizer> tokenizer = checkpoint_tokenizer(weights, given);
    if (tokenizer == nullptr)
        throw UserError(
            weights.path().string() + " does not say which tokenizer it was trained with",
            "give --tokenizer byte, gpt2:FOLDER or json:FILE");
    return tokenizer;
}

std::vector<int32_t> prompt_tokens(const Tokenizer& tokenizer, const std::string& prompt) {
    std::vector<int32_t> tokens = encode_with_special_tokens(tokenizer, prompt);
    if (tokens.empty() && end_of_text(tokenizer) >= 0) tokens.push_back(end_of_text(tokenizer));
    if (tokens.empty())
        throw UserError("the prompt has no tokens", "give --prompt some text to continue");
    return tokens;
}

/// Tokens to make: what was asked for, or what the position table still has room for.
int64_t new_tokens(const Arguments& arguments, const ModelConfig& model, size_t prompt) {
    const int64_t room = model.block_size - static_cast<int64_t>(prompt);
    if (model.pos != Positions::kLearned || arguments.max_new <= room) return arguments.max_new;
    if (room < 1)
        throw UserError(fmt::format("the prompt's {} tokens fill the model's block_size of {}",
                                    prompt, model.block_size),
                        "give a shorter prompt");
    fmt::print(stderr, "note: {} new tokens, as many as the block_size of {} has room for\n", room,
               model.block_size);
    return room;
}

struct Generated {
    std::vector<int32_t> tokens;
    double prefill_seconds = 0, decode_seconds = 0;
    int64_t cache_bytes = 0;
};

Generated generate_tokens(DecodingSession& session, const Tokenizer& tokenizer,
                          const std::vector<int32_t>& prompt, const Arguments& arguments,
                          int64_t count) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
    Generated made;
    made.cache_bytes = session.cache_bytes();
    const auto start = now();
    session.prefill(prompt);
    const auto ready = now();
    made.prefill_seconds = seconds(ready - start);
    // Rows that only round up the vocabulary stand for no token.
    const auto known =
        static_cast<size_t>(std::min(tokenizer.vocab_size(), session.model().vocab_size));
    for (int64_t n = 0; n < count; ++n) {
        const std::vector<double> logits = session.logits();
        const int32_t token = sample_token(std::span(logits).first(known), arguments.sampling, 0,
                                           static_cast<uint32_t>(n));
        if (token == end_of_text(tokenizer)) break;
        made.tokens.push_back(token);
        if (!arguments.json) {
            fmt::print("{}", tokenizer.decode({&token, 1}));
            std::fflush(stdout);
        }
        if (n + 1 < count) session.step({&token, 1});
    }
    made.decode_seconds = seconds(now() - ready);
    return made;
}

void generate(const Arguments& arguments) {
    check_sampling(arguments.sampling);
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const ModelWeights weights = open_checkpoint(arguments.checkpoint);
    const std::shared_ptr<const Tokenizer> tokenizer = tokenizer_of(weights, arguments.tokenizer);
    const std::vector<int32_t> prompt = prompt_tokens(*tokenizer, arguments.prompt);
    const int64_t count = new_tokens(arguments, weights.config(), prompt.size());
    DecodeShape shape;
    shape.capacity = static_cast<int64_t>(prompt.size()) + count;
    shape.chunk = chunk_for(static_cast<int64_t>(prompt.size()));
    DecodingSession session(weights.config(), parse_dtype(arguments.dtype), shape, *device);
    session.load(weights);
    if (!arguments.json) fmt::print("{}", arguments.prompt);
    const Generated made = generate_tokens(session, *tokenizer, prompt, arguments, count);
    const double rate = static_cast<double>(made.tokens.size()) / made.decode_seconds;
    if (arguments.json) {
        const nlohmann::ordered_json document{{"prompt", arguments.prompt},
                                              {"text", tokenizer->decode(made.tokens)},
                                              {"tokens", made.tokens},
                                              {"prompt_tokens", prompt},
                                              {"prefill_seconds", made.prefill_seconds},
                                              {"tokens_per_second", rate},
                                              {"cache_bytes", made.cache_bytes}};
        fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        return;
    }
    fmt::print("\n");
    fmt::print(stderr, "{} tokens, {:.1f} tokens/s; prompt of {} in {:.0f} ms; cache {} bytes\n",
               made.tokens.size(), rate, prompt.size(), 1e3 * made.prefill_seconds,
               made.cache_bytes);
}

}  // namespace

void add_generate_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("generate", "Continue a text with a checkpoint, token by token");
    const auto a = std::make_shared<Arguments>();
    add_checkpoint_options(*command, a->checkpoint);
    command->add_option("--prompt", a->prompt, "The text to continue")->required();
    command->add_option("--max-new", a->max_new, "Most tokens to make")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
        ->capture_default_str();
    command
        ->add_option("--temperature", a->sampling.temperature,
                     "Divides the logits; 0 takes the most likely token")
        ->capture_default_str();
    command->add_option("--top-k", a->sampling.top_k, "Draw among the K most likely; 0: all")
        ->capture_default_str();
    command
        ->add_option("--top-p", a->sampling.top_p,
                     "Draw among the fewest tokens whose probabilities add up to P")
        ->capture_default_str();
    command->add_option("--seed", a->sampling.seed, "Of the draws")->capture_default_str();
    command->add_option("--tokenizer", a->tokenizer,
                        "byte, gpt2:FOLDER or json:FILE, where the checkpoint names none");
    command->add_option("--dtype", a->dtype, "f32, f64 or bf16")->capture_default_str();
    command->add_option("--device", a->device, "cpu, cuda or auto")
        ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
    command->add_flag("--json", a->json, "Print one JSON document");
    command->callback([a] { generate(*a); });
}

}  // namespace headroom
