#include "app/commands/logits_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/checkpoint_loading.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/checkpoint/safetensors.h"
#include "core/model/loaded_model.h"

namespace headroom {
namespace {

struct LogitsArguments {
    CheckpointArguments checkpoint;
    std::string dtype = "f32", device = "auto", out;
    std::vector<int32_t> tokens;
};

template <class T>
void write_logits(LoadedModel& model, const LogitsArguments& arguments) {
    const std::vector<T> logits = model.logits<T>(arguments.tokens);
    const auto count = static_cast<int64_t>(arguments.tokens.size());
    const std::vector<TensorToWrite> tensors{
        tensor_to_write("tokens", {count}, std::span<const int32_t>(arguments.tokens)),
        tensor_to_write("logits", {count, model.config().vocab_size}, std::span<const T>(logits))};
    write_safetensors(arguments.out, {}, tensors);
    fmt::print(stderr, "{}: logits of {} tokens over {} ids\n", arguments.out, count,
               model.config().vocab_size);
}

void compute(const LogitsArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const DType dtype = parse_dtype(arguments.dtype);
    LoadedModel model(open_checkpoint(arguments.checkpoint), dtype,
                      static_cast<int64_t>(arguments.tokens.size()), *device);
    if (dtype == DType::kF64)
        write_logits<double>(model, arguments);
    else
        write_logits<float>(model, arguments);
}

}  // namespace

void add_logits_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("logits", "Compute the logits of a checkpoint for given tokens");
    const auto arguments = std::make_shared<LogitsArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("--tokens", arguments->tokens, "Token ids, e.g. 1,2,3")
        ->required()
        ->delimiter(',');
    command->add_option("--dtype", arguments->dtype, "f32, f64 or bf16")->capture_default_str();
    command->add_option("--device", arguments->device, "cpu, cuda or auto")
        ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
    command->add_option("--out", arguments->out, "File for tensors `tokens` and `logits`")
        ->required();
    command->callback([arguments] { compute(*arguments); });
}

}  // namespace headroom
