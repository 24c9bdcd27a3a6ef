#include "core/wiring/wiring.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

using Table = std::vector<std::vector<HeadSources>>;

Table own_table(int n_layer, int n_kv_head) {
    Table table(static_cast<size_t>(n_layer));
    for (int layer = 0; layer < n_layer; ++layer)
        for (int g = 0; g < n_kv_head; ++g) table[layer].push_back({{layer, g, 1.0}});
    return table;
}

/// Every head of layers >= first reads the same head of source_of(layer).
template <class SourceOf>
Table shared_table(int n_layer, int n_kv_head, SourceOf source_of) {
    Table table(static_cast<size_t>(n_layer));
    for (int layer = 0; layer < n_layer; ++layer)
        for (int g = 0; g < n_kv_head; ++g) table[layer].push_back({{source_of(layer), g, 1.0}});
    return table;
}

/// lambda * own + (1 - lambda) * other, without the part of weight 0.
HeadSources mixed(HeadSource own, HeadSource other, const WiringChoice& choice) {
    if (choice.res_lambda_learned) {
        own = {own.layer, own.head, kInitialLambda, SourceWeight::kLambda};
        other = {other.layer, other.head, 1.0 - kInitialLambda, SourceWeight::kOneMinusLambda};
        return {own, other};
    }
    const double lambda = choice.res_lambda;
    HeadSources sources;
    own.weight = lambda;
    other.weight = 1.0 - lambda;
    if (own.weight != 0.0) sources.push_back(own);
    if (other.weight != 0.0) sources.push_back(other);
    return sources;
}

/// What the injected slot j (at head position n_own + j) reads in `layer`; n heads are injected.
HeadSources injected_sources(const std::string& inject, int source, int layer, int j, int n,
                             int n_kv_head) {
    const int n_own = n_kv_head - n;
    if (inject == "pool") return {{source, j, 0.5}, {source, n + j, 0.5}};
    if (inject == "dynamic") {
        // The window of n heads that starts at `layer`; head g of it goes to slot g mod n.
        for (int m = 0; m < n; ++m) {
            const int g = (layer + m) % n_kv_head;
            if (g % n == j) return {{source, g, 1.0}};
        }
        CHECK(false, "n consecutive heads cover every slot");
    }
    if (inject == "oddeven") return {{source, layer % 2 == 0 ? j : n + j, 1.0}};
    return {{source, n_own + j, 1.0}};
}

void check_skip(const WiringChoice& choice, int n_layer, int n_kv_head) {
    if (choice.skip_layer < 0 || choice.skip_layer > n_layer)
        throw UserError(
            fmt::format("model.skip_layer = {} is not a layer of this model", choice.skip_layer),
            fmt::format("choose 1 to {}, or 0 to inject nothing (SkipV0)", n_layer));
    if (!(choice.skip_ratio >= 0.0 && choice.skip_ratio <= 1.0))
        throw UserError(fmt::format("model.skip_ratio = {} is not a share", choice.skip_ratio),
                        "choose a number from 0 to 1");
    const bool by_half = choice.inject != "concat";
    if (by_half && 2 * n_skip_heads(choice, n_kv_head) != n_kv_head)
        throw UserError(
            fmt::format("model.inject = {} is defined for half of the heads, but model.skip_ratio "
                        "= {} of model.n_kv_head = {} is not half",
                        choice.inject, choice.skip_ratio, n_kv_head),
            "use skip_ratio 0.5 and an even number of key/value heads, or inject = concat");
}

/// SkipVk: layers after the source layer own their first heads; the rest comes from the source.
Table skip_table(const WiringChoice& choice, const std::string& inject, bool skip_res, int n_layer,
                 int n_kv_head) {
    const int n_skip = n_skip_heads(choice, n_kv_head);
    const int n_own = n_kv_head - n_skip;
    const bool inject_nothing = choice.skip_layer == 0;
    const int source = inject_nothing ? 0 : static_cast<int>(choice.skip_layer) - 1;
    Table table = own_table(n_layer, n_kv_head);
    for (int layer = source + 1; layer < n_layer; ++layer) {
        for (int j = 0; j < n_skip; ++j) {
            HeadSources& slot = table[layer][n_own + j];
            slot.clear();
            if (!inject_nothing)
                slot = injected_sources(inject, source, layer, j, n_skip, n_kv_head);
        }
        for (int g = 0; skip_res && !inject_nothing && g < n_own; ++g)
            table[layer][g] = mixed({layer, g}, {source, g}, choice);
    }
    return table;
}

Table yoco_table(const WiringChoice& choice, int n_layer, int n_kv_head) {
    const int64_t split = choice.yoco_split == 0 ? std::max(1, n_layer / 2) : choice.yoco_split;
    if (split < 1 || split > n_layer)
        throw UserError(fmt::format("model.yoco_split = {} is not a number of layers of this model",
                                    choice.yoco_split),
                        fmt::format("choose 1 to {}, or 0 for half of the layers", n_layer));
    const int last_own = static_cast<int>(split) - 1;
    return shared_table(n_layer, n_kv_head, [&](int layer) { return std::min(layer, last_own); });
}

Table cla_table(const WiringChoice& choice, int n_layer, int n_kv_head) {
    if (choice.cla_factor < 1)
        throw UserError(fmt::format("model.cla_factor = {} is not positive", choice.cla_factor),
                        "choose 1 (no sharing), 2 (pairs), ...");
    const int64_t factor = choice.cla_factor;
    return shared_table(n_layer, n_kv_head,
                        [&](int layer) { return static_cast<int>(layer - layer % factor); });
}

Table res_table(const WiringChoice& choice, int n_layer, int n_kv_head) {
    Table table = own_table(n_layer, n_kv_head);
    for (int layer = 1; layer < n_layer; ++layer)
        for (int g = 0; g < n_kv_head; ++g) table[layer][g] = mixed({layer, g}, {0, g}, choice);
    return table;
}

Table key_table(const WiringChoice& choice, int n_layer, int n_kv_head) {
    if (choice.key_source == "own") return own_table(n_layer, n_kv_head);
    if (choice.key_source == "skip") return skip_table(choice, "concat", false, n_layer, n_kv_head);
    if (choice.key_source == "yoco") return yoco_table(choice, n_layer, n_kv_head);
    if (choice.key_source == "cla") return cla_table(choice, n_layer, n_kv_head);
    throw UserError(fmt::format("model.key_source = \"{}\" is not known", choice.key_source),
                    "use own, skip, yoco or cla");
}

Table value_table(const WiringChoice& choice, int n_layer, int n_kv_head) {
    if (choice.value_source == "own") return own_table(n_layer, n_kv_head);
    if (choice.value_source == "skip")
        return skip_table(choice, choice.inject, choice.skip_res, n_layer, n_kv_head);
    if (choice.value_source == "res") return res_table(choice, n_layer, n_kv_head);
    if (choice.value_source == "sv") return shared_table(n_layer, n_kv_head, [](int) { return 0; });
    if (choice.value_source == "yoco") return yoco_table(choice, n_layer, n_kv_head);
    if (choice.value_source == "cla") return cla_table(choice, n_layer, n_kv_head);
    throw UserError(fmt::format("model.value_source = \"{}\" is not known", choice.value_source),
                    "use own, skip, res, sv, yoco or cla");
}

void check_inject(const std::string& inject) {
    for (const char* known : {"concat", "pool", "dynamic", "oddeven"})
        if (inject == known) return;
    throw UserError(fmt::format("model.inject = \"{}\" is not known", inject),
                    "use concat, pool, dynamic or oddeven");
}

}  // namespace

int n_skip_heads(const WiringChoice& choice, int n_kv_head) {
    // The small addition keeps 0.29 * 100 from becoming 28.
    return static_cast<int>(std::floor(choice.skip_ratio * n_kv_head + 1e-9));
}

int64_t own_latent_width(const WiringChoice& choice, int layer, int64_t d_c) {
    const int64_t source = std::max<int64_t>(choice.skip_layer, 1) - 1;
    if (choice.value_source != "skip" || layer <= source) return d_c;
    return d_c - n_skip_heads(choice, static_cast<int>(d_c));
}

bool learns_lambda(const Wiring& wiring, int layer) {
    const auto learned = [](const HeadSources& sources) {
        return std::any_of(sources.begin(), sources.end(), [](const HeadSource& source) {
            return source.learned != SourceWeight::kFixed;
        });
    };
    const auto any = [&](const Table& table) {
        const auto& heads = table[static_cast<size_t>(layer)];
        return std::any_of(heads.begin(), heads.end(), learned);
    };
    return any(wiring.keys) || any(wiring.values);
}

Wiring build_wiring(const WiringChoice& choice, int n_layer, int n_head, int n_kv_head) {
    check_wiring_size(n_layer, n_head, n_kv_head);
    check_inject(choice.inject);
    if (choice.value_source == "skip" || choice.key_source == "skip")
        check_skip(choice, n_layer, n_kv_head);
    Wiring wiring;
    wiring.n_layer = n_layer;
    wiring.n_head = n_head;
    wiring.n_kv_head = n_kv_head;
    wiring.keys = key_table(choice, n_layer, n_kv_head);
    wiring.values = value_table(choice, n_layer, n_kv_head);
    derive_own_heads(wiring);
    check_wiring(wiring);
    return wiring;
}

}  // namespace headroom
