#include "panels/wiring_editor/rewire_map.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/log/array_file.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_file.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

size_t place(const RewireMap& map, HeadId reader, int source) {
    return (static_cast<size_t>(reader.layer) * static_cast<size_t>(map.n_kv_head) +
            static_cast<size_t>(reader.head)) *
               static_cast<size_t>(map.n_layer) +
           static_cast<size_t>(source);
}

}  // namespace

std::optional<int> layer_read(const Wiring& wiring, KvTable table, HeadId reader) {
    const auto& tables = table == KvTable::kKeys ? wiring.keys : wiring.values;
    const HeadSources& sources =
        tables[static_cast<size_t>(reader.layer)][static_cast<size_t>(reader.head)];
    if (sources.size() != 1 || column_of(tables, sources.front()) != reader.head)
        return std::nullopt;
    return sources.front().layer;
}

void leave_out_missing_heads(RewireMap& map, const Wiring& trained) {
    for (int layer = 0; layer < map.n_layer; ++layer)
        for (int head = 0; head < map.n_kv_head; ++head) {
            const HeadId reader{layer, head};
            if (layer_read(trained, KvTable::kKeys, reader) != layer)
                map.keys[place(map, reader, layer)] = kNothing;
            if (layer_read(trained, KvTable::kValues, reader) != layer)
                map.values[place(map, reader, layer)] = kNothing;
        }
}

double RewireMap::change(KvTable table, HeadId reader, int source_layer) const {
    const bool is_inside = reader.layer >= 0 && reader.layer < n_layer && reader.head >= 0 &&
                           reader.head < n_kv_head && source_layer >= 0 && source_layer < n_layer;
    if (!is_inside) return kNothing;
    return (table == KvTable::kKeys ? keys : values)[place(*this, reader, source_layer)] - loss;
}

RewireMap read_rewire_map(const std::filesystem::path& path) {
    const ArrayFile file(path);
    const ProbeHeader header = read_probe_header(file);
    const Shape shape = file.type(kRewireValues).shape;
    const bool is_cube = shape.size() == 3 && shape[0] == shape[2] &&
                         shape[0] == header.model.n_layer && shape[1] == header.model.n_kv_head;
    if (!is_cube || file.type(kRewireKeys).shape != shape)
        throw UserError(fmt::format("{}: /rewire is not of the model in its header", path.string()),
                        "probe the run anew with headroom probe rewire");
    RewireMap map;
    map.run = header.run;
    map.step = header.step;
    map.n_layer = static_cast<int>(shape[0]);
    map.n_kv_head = static_cast<int>(shape[1]);
    if (const Shape tokens = file.has(kProbeTokenIds) ? file.type(kProbeTokenIds).shape : Shape{};
        tokens.size() == 2) {
        map.sequences = tokens[0];
        map.seq_len = tokens[1];
    }
    map.loss = file.read_number(kRewireLoss);
    map.keys = file.read_all<double>(kRewireKeys);
    map.values = file.read_all<double>(kRewireValues);
    leave_out_missing_heads(map, header.model.wiring);
    return map;
}

double mean_change(const RewireMap& map, KvTable table, const std::vector<HeadId>& readers,
                   int head, int source_layer) {
    double sum = 0;
    int count = 0;
    for (const HeadId reader : readers) {
        if (reader.head != head) continue;
        sum += map.change(table, reader, source_layer);
        ++count;
    }
    return count == 0 ? kNothing : sum / count;
}

}  // namespace headroom
