#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/checkpoint_loading.h"
#include "app/dtype_option.h"
#include "app/eprint.h"
#include "app/generate/text_generation.h"
#include "app/job_loading.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/data/tokenizer_spec.h"
#include "core/decode/decoding_session.h"
#include "core/decode/generation_event.h"
#include "core/decode/sampler.h"
#include "core/model/decode_graph.h"
#include "datasets/text/utf8_stream.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

constexpr size_t kLikeliest = 5;

struct GenerateArguments {
    CheckpointArguments checkpoint;
    std::string prompt, tokenizer, dtype = "f32", device = "auto";
    SamplingOptions sampling;
    std::optional<std::string> prompt_file;
    int64_t max_new = 100;
    bool json = false, stream = false;
};

/// The one that the checkpoint was trained with, or the one that is given.
std::shared_ptr<const Tokenizer> tokenizer_of(const WeightSource& weights,
                                              const std::string& given) {
    std::shared_ptr<const Tokenizer> tokenizer = checkpoint_tokenizer(weights, given);
    if (tokenizer == nullptr)
        throw UserError(weights.title() + " does not say which tokenizer it was trained with",
                        "give --tokenizer " + tokenizer_forms(false));
    return tokenizer;
}

std::vector<int32_t> prompt_tokens(const Tokenizer& tokenizer, const std::string& prompt) {
    std::vector<int32_t> tokens = tokens_to_read(tokenizer, prompt);
    if (tokens.empty() && end_of_text(tokenizer) >= 0) tokens.push_back(end_of_text(tokenizer));
    if (tokens.empty())
        throw UserError("the prompt has no tokens", "give --prompt some text to continue");
    return tokens;
}

/// Tokens to make: what was asked for, or what the position table still has room for.
int64_t new_tokens(const GenerateArguments& arguments, const ModelConfig& model, size_t prompt) {
    const int64_t room = model.block_size - static_cast<int64_t>(prompt);
    if (model.pos != Positions::kLearned || arguments.max_new <= room) return arguments.max_new;
    if (room < 1)
        throw UserError(fmt::format("the prompt's {} tokens fill the model's block_size of {}",
                                    prompt, model.block_size),
                        "give a shorter prompt");
    eprint("note: {} new tokens, as many as the block_size of {} has room for\n", room,
           model.block_size);
    return room;
}

/// Prints the text as it grows, whole characters at a time; to a terminal without the control
/// characters that a model may say.
class TextPrinter {
  public:
    TextPrinter(const Tokenizer& tokenizer, const std::string& prompt) : tokenizer_(tokenizer) {
        print(prompt);
    }
    /// Where generation fails, what is said of it begins a line of its own.
    ~TextPrinter() {
        if (!ended_) std::fputs("\n", stdout);
    }
    TextPrinter(const TextPrinter&) = delete;
    TextPrinter& operator=(const TextPrinter&) = delete;

    void take(const GenerationEvent& event) {
        if (const auto* token = std::get_if<GeneratedToken>(&event)) {
            print(characters_.take(tokenizer_.decode({&token->choice.id, 1})));
        } else if (std::holds_alternative<GenerationEnd>(event)) {
            print(characters_.rest() + "\n");
            ended_ = true;
        }
    }

  private:
    void print(const std::string& text) const {
        fmt::print("{}", to_terminal_ ? printable_lines(text) : text);
        std::fflush(stdout);
    }

    const bool to_terminal_ = ::isatty(STDOUT_FILENO) == 1;
    const Tokenizer& tokenizer_;
    Utf8Stream characters_;
    bool ended_ = false;
};

void print_event(const GenerationEvent& event) {
    fmt::print("{}\n", to_line(event));
    std::fflush(stdout);
}

void print_document(const std::string& prompt, const TextGeneration& asked,
                    const GeneratedText& made, int64_t cache_bytes) {
    const nlohmann::ordered_json document{{"prompt", prompt},
                                          {"text", asked.tokenizer.decode(made.tokens)},
                                          {"tokens", made.tokens},
                                          {"prompt_tokens", asked.prompt},
                                          {"prefill_seconds", made.prefill_seconds},
                                          {"tokens_per_second", made.tokens_per_second},
                                          {"cache_bytes", cache_bytes}};
    fmt::print("{}\n", dump_text(document));
}

void print_summary(const TextGeneration& asked, const GeneratedText& made, int64_t cache_bytes) {
    eprint("{} tokens, {:.1f} tokens/s; prompt of {} in {:.0f} ms; cache {} bytes\n",
           made.tokens.size(), made.tokens_per_second, asked.prompt.size(),
           1e3 * made.prefill_seconds, cache_bytes);
}

/// Says it the way that was asked for.
void generate_with(DecodingSession& session, const GenerateArguments& arguments,
                   const std::string& prompt, TextGeneration asked) {
    if (arguments.stream) {
        asked.likeliest = kLikeliest;
        generate_text(session, asked, print_event);
    } else if (arguments.json) {
        const GeneratedText made = generate_text(session, asked, [](const GenerationEvent&) {});
        print_document(prompt, asked, made, session.cache_bytes());
    } else {
        TextPrinter printer(asked.tokenizer, prompt);
        const GeneratedText made = generate_text(
            session, asked, [&](const GenerationEvent& event) { printer.take(event); });
        print_summary(asked, made, session.cache_bytes());
    }
}

std::string read_prompt(const GenerateArguments& arguments) {
    if (!arguments.prompt_file) return arguments.prompt;
    if (*arguments.prompt_file != "-") return read_text(*arguments.prompt_file);
    return {std::istreambuf_iterator<char>(std::cin), {}};
}

void generate(const GenerateArguments& arguments) {
    check_sampling(arguments.sampling);
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
    check_continues(weights.config());
    const std::shared_ptr<const Tokenizer> tokenizer = tokenizer_of(weights, arguments.tokenizer);
    const std::string text = read_prompt(arguments);
    std::vector<int32_t> prompt = prompt_tokens(*tokenizer, text);
    const int64_t count = new_tokens(arguments, weights.config(), prompt.size());
    DecodeShape shape;
    shape.capacity = static_cast<int64_t>(prompt.size()) + count;
    shape.chunk = std::min(static_cast<int64_t>(prompt.size()), device->prefill_chunk(1));
    DecodingSession session(weights.config(), computed_type_option("--dtype", arguments.dtype),
                            shape, *device);
    session.load(weights);
    generate_with(session, arguments, text,
                  {*tokenizer, std::move(prompt), count, arguments.sampling});
}

}  // namespace

/// `headroom generate`: continues a text with a checkpoint, token by token.
void add_generate_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("generate", "Continue a text with a checkpoint, token by token");
    const auto a = std::make_shared<GenerateArguments>();
    add_checkpoint_options(*command, a->checkpoint);
    auto* prompt = command->add_option_group("prompt")->require_option(1);
    prompt->add_option("--prompt", a->prompt, "The text to continue");
    prompt->add_option("--prompt-file", a->prompt_file,
                       "A file with the text to continue; - reads standard input");
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
    command->add_option("--seed", a->sampling.seed, "Of the draws")
        ->check(not_below_zero, "FROM 0")
        ->capture_default_str();
    command->add_option("--tokenizer", a->tokenizer,
                        tokenizer_forms(false) + ", where the checkpoint names none");
    command->add_option("--dtype", a->dtype, "f32, f64 or bf16")->capture_default_str();
    add_device_option(*command, a->device);
    auto* document = command->add_flag("--json", a->json, "Print one JSON document");
    command
        ->add_flag("--stream", a->stream,
                   "Print a JSON object a line while the text grows: what was loaded, each token "
                   "with its probability and the likeliest ones, the end")
        ->excludes(document);
    command->callback([a] { generate(*a); });
}

}  // namespace headroom
