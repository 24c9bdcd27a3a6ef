#include "core/probe/source_choice.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/ops/attention.h"
#include "core/ops/column_mix.h"

namespace headroom {
namespace {

using Table = SourceChoice::Table;

/// Every head of the layer as a sum of what layers 0 to `layer` read, by their shares.
ValueId add_choice(GraphCopy& copy, int layer, const std::string& name, DType sums,
                   ValueId stand_in, Table& table) {
    ColumnMixOptions mix;
    std::vector<ValueId> inputs;
    const auto index_of = [&](ValueId tensor) {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i] == tensor) return static_cast<int>(i);
        inputs.push_back(tensor);
        return static_cast<int>(inputs.size()) - 1;
    };
    for (int64_t head = 0; head < table.heads; ++head) {
        MixPiece piece{table.width, {}};
        for (int64_t source = 0; source <= layer; ++source) {
            const Table::Place& place =
                table.read[static_cast<size_t>(source)][static_cast<size_t>(head)];
            if (place.tensor != kNoValue)
                piece.terms.push_back({index_of(place.tensor), place.first, 0.0, 1.0, 0,
                                       source * table.heads + head});
        }
        mix.pieces.push_back(std::move(piece));
    }
    if (inputs.empty()) inputs.push_back(stand_in);  // every head is zero
    mix.n_data = inputs.size();
    const ValueId shares =
        copy.graph.add_value(name + ".sources", {sums, {layer + 1, table.heads}}, Role::kInput);
    table.sources.push_back(shares);
    inputs.push_back(shares);
    return copy.apply(std::make_shared<ColumnMix>(std::move(mix)), std::move(inputs), name);
}

std::vector<Table::Place> places_of(const Node& attention, const std::vector<HeadRef>& refs,
                                    int64_t width) {
    std::vector<Table::Place> places;
    for (const HeadRef& ref : refs)
        places.push_back(
            ref.input < 0
                ? Table::Place{}
                : Table::Place{attention.inputs[static_cast<size_t>(ref.input)], ref.head * width});
    return places;
}

}  // namespace

LossPass::Edit SourceChoice::edit() {
    return [this](GraphCopy& copy, int layer, Node attention) {
        AttentionOptions options = dynamic_cast<const Attention&>(*attention.op).options();
        const DType sums = accumulator_of(copy.graph.value(attention.outputs.front()).type.dtype);
        std::vector<ValueId> inputs{attention.inputs.front()};
        const auto choose_heads = [&](Table& table, std::vector<HeadRef>& refs, int64_t width,
                                      const char* letter) {
            table.heads = options.n_kv_head;
            table.width = width;
            table.read.push_back(places_of(attention, refs, width));
            const std::string name = fmt::format("h.{}.attn.{}.chosen", layer, letter);
            inputs.push_back(add_choice(copy, layer, name, sums, inputs.front(), table));
            for (size_t head = 0; head < refs.size(); ++head)
                refs[head] = {static_cast<int>(inputs.size()) - 1, static_cast<int>(head)};
        };
        choose_heads(keys_, options.key_heads, options.d_head, "k");
        choose_heads(values_, options.value_heads, options.value_width(), "v");
        attention.inputs = std::move(inputs);
        attention.op = std::make_shared<Attention>(std::move(options));
        copy.append(std::move(attention));
    };
}

void SourceChoice::reset(LossPass& pass) const {
    for (const Table* table : {&keys_, &values_})
        for (int64_t layer = 0; layer < table->n_layer(); ++layer)
            choose(pass, *table, layer,
                   std::vector<int64_t>(static_cast<size_t>(table->heads), layer));
}

void SourceChoice::choose(LossPass& pass, const Table& table, int64_t layer,
                          const std::vector<int64_t>& sources) {
    std::vector<double> shares(static_cast<size_t>((layer + 1) * table.heads), 0.0);
    for (int64_t head = 0; head < table.heads; ++head) {
        const int64_t source = sources[static_cast<size_t>(head)];
        CHECK(source <= layer, "an earlier layer");
        shares[static_cast<size_t>(source * table.heads + head)] = 1;
    }
    pass.write(table.sources[static_cast<size_t>(layer)], shares);
}

}  // namespace headroom
