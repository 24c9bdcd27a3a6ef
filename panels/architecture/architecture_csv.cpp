#include "panels/architecture/architecture_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/model/parameters.h"
#include "panels/figure/csv_text.h"

namespace headroom {
namespace {

std::string shape_of(const Shape& shape) {
    return fmt::format("{}", fmt::join(shape, "x"));
}

void append_tensors(const ArchitectureView& view, const std::string& name, std::string& out) {
    if (view.model.vocab_size == 0) return;
    for (const ParameterSpec& spec : parameter_specs(view.model)) {
        std::string layer;
        if (spec.layer >= 0) layer = std::to_string(spec.layer);
        out += fmt::format("{},tensor,{},{},{},{},,,,\n", name, layer, spec.name,
                           shape_of(spec.shape), spec.count());
    }
}

void append_lane(const std::string& name, const char* item,
                 const std::vector<std::vector<HeadSources>>& table, std::string& out) {
    for (int layer = 0; layer < std::ssize(table); ++layer)
        for (int head = 0; head < std::ssize(table[layer]); ++head)
            for (const HeadSource& source : table[layer][head])
                if (source.layer != layer)
                    out += fmt::format("{},{},{},,,,{},{},{},{}\n", name, item, layer, head,
                                       source.layer, source.head, source.weight);
}

void append_layers(const ArchitectureView& view, const std::string& name, std::string& out) {
    for (int layer = 0; layer < std::ssize(view.layers); ++layer) {
        const LayerFacts& facts = view.layers[layer];
        if (facts.latent && facts.latent->source >= 0)
            out += fmt::format("{},latent,{},,,,{},{},{},1\n", name, layer, facts.latent->own,
                               facts.latent->source, facts.latent->own);
        for (const int stream : facts.averaged)
            out += fmt::format("{},average,{},,,,,{},,\n", name, layer, stream - 1);
    }
}

}  // namespace

std::string architecture_csv(const std::vector<ArchitectureView>& views) {
    std::string out;
    for (const ArchitectureView& view : views) {
        append_csv_comment(out, "model", view.title);
        append_csv_comment(out, "  note", view.note);
        append_csv_comment(out, "  configuration", to_json(view.model).dump());
    }
    out += "model,item,layer,name,shape,parameters,head,source_layer,source_head,weight\n";
    for (const ArchitectureView& view : views) {
        const std::string name = csv_quoted(view.title);
        append_tensors(view, name, out);
        if (!view.model.mla) {
            append_lane(name, "key", view.model.wiring.keys, out);
            append_lane(name, "value", view.model.wiring.values, out);
        }
        append_layers(view, name, out);
    }
    return out;
}

}  // namespace headroom
