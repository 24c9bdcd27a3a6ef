#include <algorithm>

#include <fmt/format.h>

#include "panels/base/number_format.h"
#include "panels/base/numbering.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {

namespace {

std::string head_name(HeadId ref) {
    return fmt::format("layer {} head {}", shown_number(ref.layer), shown_number(ref.head));
}

std::string source_name(const HeadSource& source) {
    const std::string name = head_name({source.layer, source.head});
    switch (source.learned) {
        case SourceWeight::kLambda:
            return fmt::format("λ × {}", name);
        case SourceWeight::kOneMinusLambda:
            return fmt::format("(1 - λ) × {}", name);
        case SourceWeight::kFixed:
            break;
    }
    return source.weight == 1.0 ? name : fmt::format("{:.3g} × {}", source.weight, name);
}

std::string reading_line(const WiringCell& cell, const char* kind) {
    switch (cell.role) {
        case HeadRole::kNone:
            return fmt::format("Reads no {}: this head adds nothing", kind);
        case HeadRole::kOwn:
            return fmt::format("Projects its own {}", kind);
        case HeadRole::kReused:
        case HeadRole::kMixed:
            break;
    }
    std::string list;
    for (const HeadSource& source : cell.sources)
        list += (list.empty() ? "" : " + ") + source_name(source);
    return fmt::format("Reads {}", list);
}

/// "layers 2–12" where the readers are consecutive layers, else a short list of heads.
std::string readers_line(const WiringCell& cell) {
    std::vector<int> layers;
    for (const HeadId& reader : cell.readers)
        layers.push_back(static_cast<int>(shown_number(reader.layer)));
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    const bool consecutive = layers.back() - layers.front() + 1 == std::ssize(layers);
    std::string where = fmt::format("layer {}", layers.front());
    if (layers.size() > 1 && consecutive) {
        where = fmt::format("layers {}–{}", layers.front(), layers.back());
    } else if (layers.size() > 1) {
        const size_t shown = std::min<size_t>(layers.size(), 6);
        where = fmt::format("layers {}{}", fmt::join(layers.begin(), layers.begin() + shown, ", "),
                            shown < layers.size() ? " …" : "");
    }
    const size_t count = cell.readers.size();
    return fmt::format("Read by {} more head{} in {}", count, count == 1 ? "" : "s", where);
}

/// Heads that are made of a latent keep nothing of their own.
std::string latent_line(const WiringLatent& latent) {
    std::string line =
        fmt::format("Made of its layer's latent, {} of cache per token for all heads",
                    format_bytes(latent.bytes_per_token));
    if (latent.shared > 0)
        line += fmt::format(", and of {} coordinates that layer {} keeps", latent.shared,
                            shown_number(latent.source));
    return line;
}

}  // namespace

std::vector<std::string> describe_head(const WiringView& view, KvTable lane, HeadId head) {
    const bool keys = lane == KvTable::kKeys;
    const char* kind = keys ? "key" : "value";
    const WiringCell& cell = view.lane(lane).cells[head.layer][head.head];
    const HeadRange queries = query_heads(head.head, view.n_head, view.n_kv_head);
    std::vector<std::string> lines;
    lines.push_back(fmt::format("Layer {}, {} head {}", shown_number(head.layer), kind,
                                shown_number(head.head)));
    if (queries.last > queries.first)
        lines.push_back(fmt::format("Serves query heads {}–{}", shown_number(queries.first),
                                    shown_number(queries.last)));
    lines.push_back(reading_line(cell, kind));
    if (!cell.readers.empty()) lines.push_back(readers_line(cell));

    if (!view.latents.empty()) {
        lines.push_back(latent_line(view.latents[static_cast<size_t>(head.layer)]));
        return lines;
    }
    const auto& costs = keys ? view.costs.params_per_key_head : view.costs.params_per_value_head;
    const int64_t params = costs.at(head.layer);
    if (!cell.projected) {
        std::string saved = fmt::format("Costs no cache: saves {} per token",
                                        format_bytes(view.costs.cache_bytes_per_head));
        if (params > 0) saved += fmt::format(" and {} parameters", format_integer(params));
        lines.push_back(saved);
    } else {
        lines.push_back(
            fmt::format("Caches {} per token", format_bytes(view.costs.cache_bytes_per_head)));
        const auto spared = std::count_if(cell.readers.begin(), cell.readers.end(), [&](HeadId r) {
            return !view.lane(lane).cells[r.layer][r.head].projected;
        });
        if (spared > 0)
            lines.push_back(fmt::format("Its readers save {} of cache per token",
                                        format_bytes(spared * view.costs.cache_bytes_per_head)));
    }
    return lines;
}

const char* name_of(HeadRole role) {
    switch (role) {
        case HeadRole::kOwn:
            return "own";
        case HeadRole::kReused:
            return "reused";
        case HeadRole::kMixed:
            return "sum of both";
        case HeadRole::kNone:
            break;
    }
    return "reads nothing";
}

std::string cell_text(const WiringCell& cell) {
    if (cell.role == HeadRole::kReused && cell.sources.size() == 1)
        return fmt::format("L{}", shown_number(cell.sources[0].layer));
    if (cell.role == HeadRole::kOwn && !cell.readers.empty())
        return fmt::format("+{}", cell.readers.size());
    return "";
}

std::string describe_total(const WiringView& view) {
    if (view.empty()) return "";
    const int64_t all = int64_t{view.n_layer} * view.n_kv_head;
    std::string text =
        fmt::format("KV cache {} per token", format_bytes(view.cache_bytes_per_token));
    if (!view.cache_dtype.empty()) text += " in " + view.cache_dtype;
    if (!view.latents.empty()) {
        text += " as latents, of which the heads are made";
        if (view.cache_bytes_saved > 0)
            text += fmt::format(", {} saved by sharing them", format_bytes(view.cache_bytes_saved));
        return text;
    }
    if (view.cache_bytes_per_token == 0) return "An encoder: it keeps no cache";
    const auto reads_others = [](const WiringLane& lane) {
        return lane.reused_heads + lane.mixed_heads > 0;
    };
    if (view.cache_bytes_saved == 0 && !reads_others(view.keys) && !reads_others(view.values))
        return text + ", every head owns its key and value";
    const int64_t full = view.cache_bytes_per_token + view.cache_bytes_saved;
    if (full > 0 && view.cache_bytes_saved > 0)
        text += fmt::format(", {} saved ({})", format_bytes(view.cache_bytes_saved),
                            format_percent(static_cast<double>(view.cache_bytes_saved) /
                                           static_cast<double>(full)));
    const auto add = [&](int heads, const char* kind, HeadRole role) {
        if (heads > 0)
            text += fmt::format(" · {} of {} {} heads {}", heads, all, kind,
                                role == HeadRole::kMixed ? "are sums of both" : name_of(role));
    };
    add(view.keys.reused_heads, "key", HeadRole::kReused);
    add(view.keys.mixed_heads, "key", HeadRole::kMixed);
    add(view.values.reused_heads, "value", HeadRole::kReused);
    add(view.values.mixed_heads, "value", HeadRole::kMixed);
    return text;
}

}  // namespace headroom
