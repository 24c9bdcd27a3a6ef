#include "core/wiring/source_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/key_error.h"

namespace headroom {
namespace {

SourceTable own_table(SourceSizes sizes) {
    SourceTable table(static_cast<size_t>(sizes.n_layer));
    for (int layer = 0; layer < sizes.n_layer; ++layer)
        for (int g = 0; g < sizes.n_kv_head; ++g) table[layer].push_back({{layer, g, 1.0}});
    return table;
}

/// Every head of layers >= first reads the same head of source_of(layer).
template <class SourceOf>
SourceTable shared_table(SourceSizes sizes, SourceOf source_of) {
    SourceTable table(static_cast<size_t>(sizes.n_layer));
    for (int layer = 0; layer < sizes.n_layer; ++layer)
        for (int g = 0; g < sizes.n_kv_head; ++g)
            table[layer].push_back({{source_of(layer), g, 1.0}});
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

void check_inject(const std::string& inject) {
    for (const char* known : {"concat", "pool", "dynamic", "oddeven"})
        if (inject == known) return;
    throw KeyError(UserError(fmt::format("model.inject = \"{}\" is not known", inject),
                             "use concat, pool, dynamic or oddeven"),
                   {"model.inject"});
}

void check_skip(const WiringChoice& choice, SourceSizes sizes) {
    check_skip_layer(choice.skip_layer, 0, sizes.n_layer);
    if (!(choice.skip_ratio >= 0.0 && choice.skip_ratio <= 1.0))
        throw KeyError(
            UserError(fmt::format("model.skip_ratio = {} is not a share", choice.skip_ratio),
                      "choose a number from 0 to 1"),
            {"model.skip_ratio"});
    const bool by_half = choice.inject != "concat";
    if (by_half && 2 * n_skip_heads(choice, sizes.n_kv_head) != sizes.n_kv_head)
        throw KeyError(
            UserError(
                fmt::format(
                    "model.inject = {} is defined for half of the heads, but model.skip_ratio "
                    "= {} of model.n_kv_head = {} is not half",
                    choice.inject, choice.skip_ratio, sizes.n_kv_head),
                "use skip_ratio 0.5 and an even number of key/value heads, or inject = concat"),
            {"model.inject", "model.skip_ratio", "model.n_kv_head", "model.n_head"});
}

/// SkipVk: layers after the source layer own their first heads; the rest comes from the source.
SourceTable skip_table(const WiringChoice& choice, KvTable which, SourceSizes sizes) {
    check_inject(choice.inject);
    check_skip(choice, sizes);
    const bool for_values = which == KvTable::kValues;
    const std::string inject = for_values ? choice.inject : "concat";
    const bool skip_res = choice.skip_res && for_values;
    const int n_kv_head = sizes.n_kv_head;
    const int n_skip = n_skip_heads(choice, n_kv_head);
    const int n_own = n_kv_head - n_skip;
    const bool inject_nothing = choice.skip_layer == 0;
    const int source = inject_nothing ? 0 : static_cast<int>(choice.skip_layer) - 1;
    SourceTable table = own_table(sizes);
    for (int layer = source + 1; layer < sizes.n_layer; ++layer) {
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

SourceTable yoco_table(const WiringChoice& choice, KvTable, SourceSizes sizes) {
    const int64_t split =
        choice.yoco_split == 0 ? default_yoco_split(sizes.n_layer) : choice.yoco_split;
    if (split < 1 || split > sizes.n_layer)
        throw KeyError(
            UserError(fmt::format("model.yoco_split = {} is not a number of layers of this model",
                                  choice.yoco_split),
                      fmt::format("choose 1 to {}, or 0 for half of the layers", sizes.n_layer)),
            {"model.yoco_split", "model.n_layer"});
    const int last_own = static_cast<int>(split) - 1;
    return shared_table(sizes, [&](int layer) { return std::min(layer, last_own); });
}

SourceTable cla_table(const WiringChoice& choice, KvTable, SourceSizes sizes) {
    if (choice.cla_factor < 1)
        throw KeyError(
            UserError(fmt::format("model.cla_factor = {} is not positive", choice.cla_factor),
                      "choose 1 (no sharing), 2 (pairs), ..."),
            {"model.cla_factor"});
    const int64_t factor = choice.cla_factor;
    return shared_table(sizes, [&](int layer) { return static_cast<int>(layer - layer % factor); });
}

SourceTable res_table(const WiringChoice& choice, KvTable, SourceSizes sizes) {
    SourceTable table = own_table(sizes);
    for (int layer = 1; layer < sizes.n_layer; ++layer)
        for (int g = 0; g < sizes.n_kv_head; ++g)
            table[layer][g] = mixed({layer, g}, {0, g}, choice);
    return table;
}

SourceTable own_layer(const WiringChoice&, KvTable, SourceSizes sizes) {
    return own_table(sizes);
}

SourceTable first_layer(const WiringChoice&, KvTable, SourceSizes sizes) {
    return shared_table(sizes, [](int) { return 0; });
}

bool serves(const SourceRule& rule, KvTable which) {
    return which == KvTable::kValues || rule.for_keys;
}

}  // namespace

void check_skip_layer(int64_t skip_layer, int least, int n_layer) {
    if (skip_layer >= least && skip_layer <= n_layer) return;
    throw KeyError(
        UserError(fmt::format("model.skip_layer = {} is not a layer of this model", skip_layer),
                  fmt::format("choose 1 to {}{}", n_layer,
                              least == 0 ? ", or 0 to inject nothing (SkipV0)" : "")),
        {"model.skip_layer", "model.n_layer"});
}

int default_yoco_split(int n_layer) {
    return std::max(1, n_layer / 2);
}

const std::vector<SourceRule>& source_rules() {
    static const std::vector<SourceRule> rules{
        {"own", "Own", "own layer", true, own_layer},
        {"skip", "SkipV1 share", "one source layer for some heads", true, skip_table},
        {"res", "Mix with first", "mixed with the first layer", false, res_table},
        {"sv", "First layer", "first layer", false, first_layer},
        {"yoco", "Upper half", "layer yoco_split for all layers above it", true, yoco_table},
        {"cla", "Pairs", "first layer of each group of cla_factor", true, cla_table},
    };
    return rules;
}

std::vector<std::string> source_rule_names(KvTable which) {
    std::vector<std::string> names;
    for (const SourceRule& rule : source_rules())
        if (serves(rule, which)) names.push_back(rule.name);
    return names;
}

std::string source_rule_help(KvTable which) {
    std::string text;
    for (const SourceRule& rule : source_rules())
        if (serves(rule, which))
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", rule.help, rule.name);
    return text;
}

const SourceRule& source_rule(const std::string& name, KvTable which) {
    for (const SourceRule& rule : source_rules())
        if (rule.name == name && serves(rule, which)) return rule;
    throw UserError(fmt::format("model.{} = \"{}\" is not known",
                                which == KvTable::kKeys ? "key_source" : "value_source", name),
                    fmt::format("use {}", fmt::join(source_rule_names(which), ", ")));
}

SourceTable source_table(const WiringChoice& choice, KvTable which, SourceSizes sizes) {
    const std::string& name = which == KvTable::kKeys ? choice.key_source : choice.value_source;
    return source_rule(name, which).build(choice, which, sizes);
}

}  // namespace headroom
