#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/base/key_error.h"
#include "core/wiring/wiring.h"

namespace headroom {
namespace {

using Table = std::vector<std::vector<HeadSources>>;

/// Far above any real model; keeps a hostile file from asking for gigabytes of table.
constexpr int64_t kMostTableHeads = 1 << 18;

std::string place(std::string_view table, size_t layer, size_t head) {
    return fmt::format("model.wiring.{}[{}][{}]", table, layer, head);
}

void check_shape(const Wiring& wiring, const Table& table, std::string_view name) {
    if (table.size() != static_cast<size_t>(wiring.n_layer))
        throw KeyError(
            UserError(fmt::format("model.wiring.{} has {} layers, but model.n_layer = {}", name,
                                  table.size(), wiring.n_layer),
                      "give one list of heads for every layer"),
            {"model.wiring"});
    for (size_t layer = 0; layer < table.size(); ++layer)
        if (table[layer].size() != static_cast<size_t>(wiring.n_kv_head))
            throw KeyError(
                UserError(fmt::format("model.wiring.{}[{}] has {} heads, but model.n_kv_head = {}",
                                      name, layer, table[layer].size(), wiring.n_kv_head),
                          "give one list of sources for every key/value head"),
                {"model.wiring"});
}

void check_sources(const Wiring& wiring, const Table& table, std::string_view name) {
    for (size_t layer = 0; layer < table.size(); ++layer)
        for (size_t head = 0; head < table[layer].size(); ++head) {
            const HeadSources& sources = table[layer][head];
            for (size_t i = 0; i < sources.size(); ++i) {
                const HeadSource& s = sources[i];
                if (s.layer < 0 || s.layer > static_cast<int>(layer))
                    throw UserError(
                        fmt::format("{} reads layer {}", place(name, layer, head), s.layer),
                        fmt::format("only layers 0 to {} exist at that point", layer));
                if (s.head < 0 || s.head >= wiring.n_kv_head)
                    throw UserError(
                        fmt::format("{} reads head {}", place(name, layer, head), s.head),
                        fmt::format("heads are numbered 0 to {}", wiring.n_kv_head - 1));
                if (!std::isfinite(s.weight) || s.weight == 0.0)
                    throw UserError(
                        fmt::format("{} has the weight {}", place(name, layer, head), s.weight),
                        "give a finite weight that is not 0, or leave the source out");
                for (size_t k = 0; k < i; ++k)
                    if (sources[k].layer == s.layer && sources[k].head == s.head)
                        throw UserError(fmt::format("{} reads layer {} head {} twice",
                                                    place(name, layer, head), s.layer, s.head),
                                        "add the two weights");
            }
        }
}

/// Sources that name no head of the table count for nothing here; check_sources refuses them.
std::vector<int> own_heads(const Table& table, int n_kv_head) {
    std::vector<int> own(table.size(), 0);
    for (const auto& heads : table)
        for (const HeadSources& sources : heads)
            for (const HeadSource& s : sources)
                if (s.layer >= 0 && s.layer < static_cast<int>(own.size()) && s.head < n_kv_head)
                    own[s.layer] = std::max(own[s.layer], s.head + 1);
    return own;
}

void check_projected_heads_are_read(const Table& table, const std::vector<int>& own,
                                    std::string_view name) {
    CHECK(own.size() == table.size(), "derive_own_heads has run");
    std::vector<std::vector<char>> read;
    read.reserve(own.size());
    for (int n : own) read.emplace_back(static_cast<size_t>(n), 0);
    for (size_t layer = 0; layer < table.size(); ++layer)
        for (size_t head = 0; head < table[layer].size(); ++head)
            for (const HeadSource& s : table[layer][head]) {
                CHECK(s.head < own[s.layer], "own heads cover every source");
                read[s.layer][s.head] = 1;
            }
    for (size_t layer = 0; layer < read.size(); ++layer)
        for (size_t head = 0; head < read[layer].size(); ++head)
            if (!read[layer][head])
                throw KeyError(
                    UserError(
                        fmt::format(
                            "model.wiring.{}: layer {} would project head {}, which nothing "
                            "reads",
                            name, layer, head),
                        fmt::format("number the heads that are read from layer {} without gaps",
                                    layer)),
                    {"model.wiring"});
}

void check_latents(const Wiring& wiring) {
    if (wiring.latents.empty()) return;
    CHECK(wiring.latents.size() == static_cast<size_t>(wiring.n_layer), "a latent for each layer");
    const int64_t width = wiring.latents[0].own;
    for (size_t layer = 0; layer < wiring.latents.size(); ++layer) {
        const LatentSharing& latent = wiring.latents[layer];
        CHECK(latent.own >= 0 && latent.shared >= 0 && latent.own + latent.shared == width,
              "latents have one width");
        CHECK(latent.source >= 0 && latent.source <= static_cast<int>(layer), "an earlier layer");
        CHECK(latent.shared == 0 || wiring.latents[static_cast<size_t>(latent.source)].own == width,
              "what is shared is projected");
    }
}

}  // namespace

void check_wiring_size(int64_t n_layer, int64_t n_head, int64_t n_kv_head) {
    if (n_layer < 1 || n_head < 1 || n_kv_head < 1)
        throw KeyError(
            UserError(fmt::format("model.n_layer = {}, model.n_head = {}, model.n_kv_head = {}",
                                  n_layer, n_head, n_kv_head),
                      "each must be at least 1"),
            {"model.n_layer", "model.n_head", "model.n_kv_head"});
    if (n_head % n_kv_head != 0)
        throw KeyError(
            UserError(fmt::format("model.n_kv_head = {} does not divide model.n_head = {}",
                                  n_kv_head, n_head),
                      "every key/value head serves the same number of query heads"),
            {"model.n_kv_head", "model.n_head"});
    if (n_layer > kMostTableHeads || n_head > kMostTableHeads || n_layer * n_head > kMostTableHeads)
        throw KeyError(
            UserError(fmt::format("model.n_layer = {} times model.n_head = {} heads are too many",
                                  n_layer, n_head),
                      fmt::format("stay below {} heads in all", kMostTableHeads)),
            {"model.n_layer", "model.n_head"});
}

void check_wiring(const Wiring& wiring) {
    check_wiring_size(wiring.n_layer, wiring.n_head, wiring.n_kv_head);
    check_shape(wiring, wiring.keys, "keys");
    check_shape(wiring, wiring.values, "values");
    check_sources(wiring, wiring.keys, "keys");
    check_sources(wiring, wiring.values, "values");
    check_projected_heads_are_read(wiring.keys, wiring.own_key_heads, "keys");
    check_projected_heads_are_read(wiring.values, wiring.own_value_heads, "values");
    check_latents(wiring);
}

void derive_own_heads(Wiring& wiring) {
    wiring.own_key_heads = own_heads(wiring.keys, wiring.n_kv_head);
    wiring.own_value_heads = own_heads(wiring.values, wiring.n_kv_head);
}

}  // namespace headroom
