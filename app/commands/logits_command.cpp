#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/checkpoint_loading.h"
#include "app/dtype_option.h"
#include "app/eprint.h"
#include "app/job_loading.h"
#include "app/token_list.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/checkpoint/safetensors.h"
#include "core/decode/decoding_session.h"
#include "core/decode/loaded_model.h"

namespace headroom {
namespace {

struct LogitsArguments {
    CheckpointArguments checkpoint;
    std::string dtype = "f32", device = "auto", out;
    std::string token_list;
    std::vector<int32_t> tokens;
    bool decode = false;
};

/// Token by token through the cache, one row after the other.
template <class T>
std::vector<T> decoded_logits(const WeightSource& weights, const LogitsArguments& arguments,
                              DType dtype, Device& device) {
    DecodeShape shape;
    shape.capacity = static_cast<int64_t>(arguments.tokens.size());
    DecodingSession session(weights.config(), dtype, shape, device);
    session.load(weights);
    std::vector<T> logits;
    for (const int32_t& token : arguments.tokens) {
        session.step({&token, 1});
        for (const double value : session.logits()) logits.push_back(static_cast<T>(value));
    }
    return logits;
}

template <class T>
void write_logits(const LogitsArguments& arguments, DType dtype, Device& device) {
    const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
    check_not_checkpoint(arguments.out, weights.title());
    const auto count = static_cast<int64_t>(arguments.tokens.size());
    const std::vector<T> logits =
        arguments.decode
            ? decoded_logits<T>(weights, arguments, dtype, device)
            : LoadedModel(weights, dtype, count, device).template logits<T>(arguments.tokens);
    const std::vector<TensorToWrite> tensors{
        tensor_to_write("tokens", {count}, std::span<const int32_t>(arguments.tokens)),
        tensor_to_write("logits", {count, weights.config().vocab_size},
                        std::span<const T>(logits))};
    write_safetensors(arguments.out, {}, tensors);
    eprint("{}: logits of {} tokens over {} ids\n", arguments.out, count,
           weights.config().vocab_size);
}

void compute(LogitsArguments arguments) {
    arguments.tokens = parse_token_list(arguments.token_list);
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const DType dtype = computed_type_option("--dtype", arguments.dtype);
    if (dtype == DType::kF64)
        write_logits<double>(arguments, dtype, *device);
    else
        write_logits<float>(arguments, dtype, *device);
}

}  // namespace

/// headroom logits --checkpoint FILE --tokens 1,2,3 [--dtype f32|f64|bf16] --out FILE.safetensors
void add_logits_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("logits", "Compute the logits of a checkpoint for given tokens");
    const auto arguments = std::make_shared<LogitsArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("--tokens", arguments->token_list, "Token ids, e.g. 1,2,3")->required();
    command->add_option("--dtype", arguments->dtype, "f32, f64 or bf16")->capture_default_str();
    add_device_option(*command, arguments->device);
    command->add_flag("--decode", arguments->decode,
                      "Compute token by token through the cache instead of all at once");
    command->add_option("--out", arguments->out, "File for tensors `tokens` and `logits`")
        ->required();
    command->callback([arguments] { compute(*arguments); });
}

}  // namespace headroom
