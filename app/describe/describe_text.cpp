#include "app/describe/describe_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/digits.h"

namespace headroom {
namespace {

using nlohmann::json;

void print_layers(const json& document) {
    fmt::print("\n{:>5} {:>14} {:>10} {:>12} {:>15}\n", "layer", "parameters", "key heads",
               "value heads", "cache bytes");
    for (const json& layer : document["layers"])
        fmt::print("{:>5} {:>14} {:>10} {:>12} {:>15}\n", layer["layer"].get<int64_t>(),
                   grouped_digits(layer["params"]), layer["own_key_heads"].get<int64_t>(),
                   layer["own_value_heads"].get<int64_t>(),
                   grouped_digits(layer["kv_bytes_per_token"]));
}

void print_cache(const json& document) {
    if (!document["kv_decodable"].get<bool>()) {
        fmt::print("{:<18}none: without a mask each new token changes all earlier ones\n",
                   "KV cache");
        return;
    }
    const double saved = document["kv_saved_share"];
    fmt::print("{:<18}{} bytes per token in {}{}\n", "KV cache",
               grouped_digits(document["kv_bytes_per_token"]),
               document["kv_dtype"].get<std::string>(),
               saved > 0 ? fmt::format("; sharing saves {:.2f} %", 100.0 * saved) : "");
}

}  // namespace

void print_description(const std::string& title, const ModelConfig& model, const json& document) {
    const auto digits = [&](const char* key) { return grouped_digits(document.at(key)); };
    fmt::print(
        "{}: {}, {} layers, {} heads of {}{}, d_model {}, d_ff {}, vocabulary {}\n", title,
        model.arch, model.n_layer, model.n_head, model.d_head,
        model.n_kv_head == model.n_head ? "" : fmt::format(" ({} key/value)", model.n_kv_head),
        model.d_model, model.d_ff, model.vocab_size);
    if (document.contains("vocab_size_from"))
        fmt::print("{:<18}{}\n", "vocabulary", document["vocab_size_from"].get<std::string>());
    fmt::print("{:<18}{}; {} without embeddings\n", "parameters", digits("params_total"),
               digits("params_non_embedding"));
    fmt::print("{:<18}{} in training over {} tokens, {} forward (causal half not subtracted)\n",
               "FLOPs per token", digits("flops_per_token"), digits("seq_len"),
               digits("flops_per_token_forward"));
    print_cache(document);
    print_layers(document);
}

}  // namespace headroom
