#include "app/describe/describe_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/digits.h"

namespace headroom {

namespace {

using nlohmann::json;

/// How one head uses a layer other than its own: "from layer 0", "mixed with layer 0", "zero".
std::vector<std::string> foreign_uses(const json& sources, int64_t own_layer) {
    if (sources.empty()) return {"zero"};
    std::vector<std::string> uses;
    for (const json& source : sources) {
        const auto layer = source.at(0).get<int64_t>();
        const bool mixed = sources.size() > 1 || source.size() > 2;
        if (layer != own_layer)
            uses.push_back(fmt::format("{} layer {}", mixed ? "mixed with" : "from", layer));
    }
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    return uses;
}

/// "  values 6-11 from layer 0", "" if the layer reads nothing of others.
std::string reads(const json& layer) {
    std::string text;
    for (const char* table : {"keys", "values"}) {
        std::map<std::string, std::vector<int64_t>> heads;
        for (const json& head : layer.at(table))
            for (const std::string& use : foreign_uses(head.at("sources"), layer.at("layer")))
                heads[use].push_back(head.at("head"));
        for (const auto& [use, which] : heads)
            text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", table, number_ranges(which),
                                use);
    }
    if (layer.contains("latent") && layer["latent"]["shared"] > 0) {
        const auto own = layer["latent"]["own"].get<int64_t>();
        text = fmt::format("latent {}-{} from layer {}", own,
                           own + layer["latent"]["shared"].get<int64_t>() - 1,
                           layer["latent"]["source"].get<int64_t>());
    }
    return text.empty() ? "" : "  " + text;
}

void print_layers(const json& document) {
    fmt::print("\n{:>5} {:>14} {:>10} {:>12} {:>15}  {}\n", "layer", "parameters", "key heads",
               "value heads", "cache bytes", "reads of other layers");
    for (const json& layer : document["layers"])
        fmt::print("{:>5} {:>14} {:>10} {:>12} {:>15}{}\n", layer["layer"].get<int64_t>(),
                   grouped_digits(layer["params"]), layer["own_key_heads"].get<int64_t>(),
                   layer["own_value_heads"].get<int64_t>(),
                   grouped_digits(layer["kv_bytes_per_token"]), reads(layer));
}

/// The largest first.
void print_roles(const json& document) {
    std::vector<std::pair<int64_t, std::string>> roles;
    for (const auto& [role, count] : document["params_by_role"].items())
        roles.emplace_back(count.get<int64_t>(), role);
    std::sort(roles.rbegin(), roles.rend());
    const auto total = document["params_total"].get<double>();
    for (const auto& [count, role] : roles)
        fmt::print("  {:<18}{:>15} {:>7.2f} %\n", role, grouped_digits(count),
                   100.0 * static_cast<double>(count) / total);
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

/// "2 of 8", or "1 to 3 of 5 to 8" where layers differ.
std::string experts_text(const ModelConfig& model) {
    const auto range = [&](const PerLayer<int64_t>& choice) {
        int64_t least = kMostExperts, most = 1;
        for (const int64_t layer : model.router_layers()) {
            least = std::min(least, choice.at(layer));
            most = std::max(most, choice.at(layer));
        }
        return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
    };
    return fmt::format("{} of {}", range(model.mlp_top_k), range(model.mlp_experts));
}

}  // namespace

void print_description(const std::string& title, const ModelConfig& model, const json& document) {
    const auto digits = [&](const char* key) { return grouped_digits(document.at(key)); };
    const char* counted = model.reads_images() ? "classes" : "vocabulary";
    fmt::print(
        "{}: {}, {} layers, {} heads of {}{}, d_model {}, d_ff {}, {} {}\n", title, model.arch,
        model.n_layer, model.n_head, model.d_head,
        model.n_kv_head == model.n_head ? "" : fmt::format(" ({} key/value)", model.n_kv_head),
        model.d_model, model.d_ff, counted, model.vocab_size);
    if (document.contains("vocab_size_from"))
        fmt::print("{:<18}{}\n", counted, document["vocab_size_from"].get<std::string>());
    fmt::print("{:<18}{}; {} non-embedding\n", "parameters", digits("params_total"),
               digits("params_non_embedding"));
    if (model.has_experts())
        fmt::print("{:<18}{} active: the router and {} experts of each token\n", "",
                   digits("params_active"), experts_text(model));
    print_roles(document);
    fmt::print("{:<18}{} in training over {} tokens, {} forward{}\n", "FLOPs per token",
               digits("flops_per_token"), digits("seq_len"), digits("flops_per_token_forward"),
               model.causal ? " (causal half not subtracted)" : "");
    print_cache(document);
    print_layers(document);
}

}  // namespace headroom
