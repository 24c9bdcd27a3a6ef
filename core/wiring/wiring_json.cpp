#include "core/wiring/wiring_json.h"

#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/wiring/source_rules.h"

namespace headroom {
namespace {

using nlohmann::json;
using Table = std::vector<std::vector<HeadSources>>;

constexpr char kLayerForm[] =
    "a layer is \"own\", the number of a layer, or one list of [layer, head] sources per head";
constexpr char kSourceForm[] =
    "a source is [layer, head] or [layer, head, weight], the weight a number, lambda or 1-lambda";
constexpr char kLambda[] = "lambda", kOneMinusLambda[] = "1-lambda";

json source_to_json(const HeadSource& s) {
    json source = json::array({s.layer, s.head});
    if (s.learned != SourceWeight::kFixed)
        source.push_back(s.learned == SourceWeight::kLambda ? kLambda : kOneMinusLambda);
    else if (s.weight != 1.0)
        source.push_back(s.weight);
    return source;
}

json table_to_json(const Table& table) {
    json layers = json::array();
    for (const auto& heads : table) {
        json layer = json::array();
        for (const HeadSources& sources : heads) {
            json head = json::array();
            for (const HeadSource& s : sources) head.push_back(source_to_json(s));
            layer.push_back(std::move(head));
        }
        layers.push_back(std::move(layer));
    }
    return layers;
}

int small_index(const json& value, const std::string& path, const char* form) {
    if (value.is_number_integer() || value.is_number_unsigned()) {
        const bool too_large =
            value.is_number_unsigned() &&
            value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int>::max());
        const int64_t index = too_large ? -1 : value.get<int64_t>();
        if (index >= 0 && index <= std::numeric_limits<int>::max()) return static_cast<int>(index);
    }
    throw UserError(fmt::format("{} is not the number of a layer or head", path), form);
}

void parse_weight(const json& value, const std::string& path, HeadSource& source) {
    if (value == kLambda || value == kOneMinusLambda) {
        const bool one_minus = value == kOneMinusLambda;
        source.learned = one_minus ? SourceWeight::kOneMinusLambda : SourceWeight::kLambda;
        source.weight = one_minus ? 1.0 - kInitialLambda : kInitialLambda;
        return;
    }
    if (!value.is_number())
        throw UserError(fmt::format("{} = {} is not a weight", path, shown(value)), kSourceForm);
    source.weight = value.get<double>();
}

HeadSource parse_source(const json& value, const std::string& path) {
    if (!value.is_array() || value.size() < 2 || value.size() > 3)
        throw UserError(fmt::format("{} is not a source", path), kSourceForm);
    HeadSource source;
    source.layer = small_index(value[0], path + "[0]", kSourceForm);
    source.head = small_index(value[1], path + "[1]", kSourceForm);
    if (value.size() == 3) parse_weight(value[2], path + "[2]", source);
    return source;
}

std::vector<HeadSources> layer_from(int source_layer, int n_kv_head) {
    std::vector<HeadSources> heads;
    heads.reserve(static_cast<size_t>(n_kv_head));
    for (int g = 0; g < n_kv_head; ++g) heads.push_back({{source_layer, g, 1.0}});
    return heads;
}

std::vector<HeadSources> parse_layer(const json& value, int layer, int n_kv_head,
                                     const std::string& path) {
    if (value.is_string() && value.get<std::string>() == "own") return layer_from(layer, n_kv_head);
    if (value.is_number()) return layer_from(small_index(value, path, kLayerForm), n_kv_head);
    if (!value.is_array()) throw UserError(fmt::format("{} is not a layer", path), kLayerForm);
    std::vector<HeadSources> heads;
    for (size_t g = 0; g < value.size(); ++g) {
        const std::string head_path = fmt::format("{}[{}]", path, g);
        if (!value[g].is_array())
            throw UserError(fmt::format("{} is not a list of sources", head_path), kSourceForm);
        HeadSources sources;
        for (size_t i = 0; i < value[g].size(); ++i)
            sources.push_back(parse_source(value[g][i], fmt::format("{}[{}]", head_path, i)));
        heads.push_back(std::move(sources));
    }
    return heads;
}

Table parse_table(const json& table, KvTable which, const WiringChoice& choice, int n_layer,
                  int n_kv_head) {
    Table layers;
    const char* name = which == KvTable::kKeys ? "keys" : "values";
    if (!table.contains(name)) return source_table(choice, which, {n_layer, n_kv_head});
    const std::string path = fmt::format("model.wiring.{}", name);
    const json& value = table.at(name);
    if (!value.is_array() || value.size() != static_cast<size_t>(n_layer))
        throw UserError(fmt::format("{} is not a list of model.n_layer = {} layers", path, n_layer),
                        kLayerForm);
    for (int layer = 0; layer < n_layer; ++layer)
        layers.push_back(
            parse_layer(value[layer], layer, n_kv_head, fmt::format("{}[{}]", path, layer)));
    return layers;
}

/// The table in a document that is one, a model section or a job.
const json& table_in(const json& document) {
    for (const char* section : {"model", "wiring"})
        if (document.is_object() && document.contains(section))
            return table_in(document.at(section));
    return document;
}

/// Heads of the first layer that the table lists, else `otherwise`.
int64_t kv_heads_in(const json& table, int64_t otherwise) {
    for (const char* name : {"keys", "values"}) {
        if (!table.is_object() || !table.contains(name) || !table.at(name).is_array()) continue;
        for (const json& layer : table.at(name))
            if (layer.is_array() && !layer.empty()) return static_cast<int64_t>(layer.size());
    }
    return otherwise;
}

}  // namespace

nlohmann::json to_json(const Wiring& wiring) {
    return {{"keys", table_to_json(wiring.keys)}, {"values", table_to_json(wiring.values)}};
}

Wiring parse_wiring(const nlohmann::json& table, int64_t n_layer, int64_t n_head, int64_t n_kv_head,
                    const WiringChoice& choice) {
    check_wiring_size(n_layer, n_head, n_kv_head);
    if (!table.is_object())
        throw UserError("model.wiring is not a table",
                        "write {\"keys\": [...], \"values\": [...]} or leave it out");
    const std::vector<std::string> known{"keys", "values"};
    for (const auto& [key, value] : table.items())
        if (key != "keys" && key != "values")
            throw UserError(fmt::format("unknown key {} in model.wiring{}", shown(key),
                                        suggestion(key, known)));
    Wiring wiring;
    wiring.n_layer = static_cast<int>(n_layer);
    wiring.n_head = static_cast<int>(n_head);
    wiring.n_kv_head = static_cast<int>(n_kv_head);
    wiring.keys = parse_table(table, KvTable::kKeys, choice, wiring.n_layer, wiring.n_kv_head);
    wiring.values = parse_table(table, KvTable::kValues, choice, wiring.n_layer, wiring.n_kv_head);
    derive_own_heads(wiring);
    check_wiring(wiring);
    return wiring;
}

Wiring parse_wiring_document(const nlohmann::json& document, int64_t n_layer, int64_t n_head,
                             int64_t n_kv_head, const WiringChoice& choice) {
    const json& table = table_in(document);
    return parse_wiring(table, n_layer, n_head, kv_heads_in(table, n_kv_head), choice);
}

}  // namespace headroom
