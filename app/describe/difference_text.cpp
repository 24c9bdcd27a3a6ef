#include "app/describe/difference_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/digits.h"

namespace headroom {
namespace {

void print_keys(const std::string& model, const std::string& baseline,
                const std::vector<ChangedKey>& keys) {
    if (keys.empty()) {
        fmt::print("no key of the model differs\n");
        return;
    }
    size_t width = std::max<size_t>(8, model.size());
    for (const ChangedKey& key : keys) width = std::max(width, key.model.size());
    fmt::print("{:<28} {:<{}} {}\n", "changed key", model, width, baseline);
    for (const ChangedKey& key : keys)
        fmt::print("{:<28} {:<{}} {}{}\n", "model." + key.key, key.model, width, key.baseline,
                   key.implied ? "  (follows)" : "");
}

void print_pair(const std::string& name, const CountPair& pair) {
    fmt::print("{:<28} {:>19} {:>19} {:>28}\n", name, grouped_digits(pair.model),
               grouped_digits(pair.baseline), change_text(pair));
}

void print_counts(const ModelDifference& d) {
    fmt::print("\n{:<28} {:>19} {:>19} {:>28}\n", "", "model", "baseline", "difference");
    print_pair("parameters", d.params_total);
    if (d.params_active != d.params_total) print_pair("active per token", d.params_active);
    print_pair("non-embedding", d.params_non_embedding);
    for (const RoleDifference& role : d.roles) print_pair("  " + role.role, role.params);
    print_pair("training FLOPs per token", d.flops_training);
    print_pair("forward FLOPs per token", d.flops_forward);
    print_pair("cache numbers per token", d.cache_numbers);
    print_pair(fmt::format("cache bytes, {}", name_of(d.cache_dtype)), d.cache_bytes);
}

/// What one layer or the rest of the model gained and lost, "" if nothing.
std::string moved(const std::vector<RoleDifference>& roles) {
    std::vector<std::string> parts;
    for (const RoleDifference& role : roles) {
        const int64_t difference = role.params.difference();
        parts.push_back(fmt::format("{} {}{}", role.role, difference > 0 ? "+" : "",
                                    grouped_digits(difference)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string layer_line(const LayerDifference& layer) {
    std::string text = moved(layer.roles);
    const int64_t cache = layer.cache_numbers.difference();
    if (cache != 0)
        text += fmt::format("{}cache {}{} numbers", text.empty() ? "" : "; ", cache > 0 ? "+" : "",
                            grouped_digits(cache));
    return text;
}

void print_layers(const ModelDifference& d) {
    fmt::print("\nwhat moved, in parameters\n");
    for (size_t first = 0; first < d.layers.size();) {
        const std::string line = layer_line(d.layers[first]);
        size_t last = first;
        while (last + 1 < d.layers.size() && layer_line(d.layers[last + 1]) == line) ++last;
        const std::string name = first == last ? fmt::format("layer {}", first)
                                               : fmt::format("layers {}-{}", first, last);
        fmt::print("{:<28} {}\n", name, line.empty() ? "nothing" : line);
        first = last + 1;
    }
    const std::string outside = moved(d.outside_roles);
    fmt::print("{:<28} {}\n", "outside the layers", outside.empty() ? "nothing" : outside);
}

}  // namespace

void print_difference(const std::string& model, const std::string& baseline,
                      const ModelDifference& difference) {
    fmt::print("{} against {}\n\n", model, baseline);
    print_keys(model, baseline, difference.keys);
    print_counts(difference);
    print_layers(difference);
    fmt::print("\nFLOPs over {} tokens; layers and heads count from 0.\n", difference.seq_len);
}

}  // namespace headroom
