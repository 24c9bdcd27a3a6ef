#include "panels/wiring_editor/rewire_figure.h"

#include <algorithm>

#include <fmt/format.h>

#include "panels/base/numbering.h"

namespace headroom {

namespace {

std::vector<std::vector<HeadId>> reader_columns(const RewireMap& map, RewireReaders readers) {
    std::vector<std::vector<HeadId>> columns;
    for (int layer = 0; layer < map.n_layer; ++layer) {
        if (readers.layer >= 0 && layer != readers.layer) continue;
        std::vector<HeadId> heads;
        for (int head = 0; head < map.n_kv_head; ++head) heads.push_back({layer, head});
        if (readers.layer == RewireReaders::kLayers)
            columns.push_back(heads);
        else
            for (const HeadId head : heads) columns.push_back({head});
    }
    return columns;
}

std::string column_name(const std::vector<HeadId>& readers, RewireReaders shown) {
    const HeadId first = readers.front();
    if (shown.layer == RewireReaders::kLayers) return fmt::to_string(shown_number(first.layer));
    if (shown.layer >= 0) return fmt::to_string(shown_number(first.head));
    return fmt::format("{}.{}", shown_number(first.layer), shown_number(first.head));
}

double mean_rise(const RewireMap& map, KvTable table, const std::vector<HeadId>& readers,
                 int source) {
    double sum = 0;
    for (const HeadId reader : readers) sum += map.change(table, reader, source);
    return sum / static_cast<double>(readers.size());
}

}  // namespace

RewireFigure rewire_figure(const RewireMap& map, KvTable table, RewireReaders readers) {
    RewireFigure picture{table, {}, reader_columns(map, readers)};
    HeatmapPanel panel;
    panel.name = readers.layer >= 0
                     ? fmt::format("readers: heads of layer {}", shown_number(readers.layer))
                 : readers.layer == RewireReaders::kLayers ? "readers: layers"
                                                           : "readers: layer.head";
    panel.rows = readers.layer >= 0 ? readers.layer + 1 : map.n_layer;
    panel.row_axis = numbered_axis("source layer", panel.rows);
    panel.column_axis.label = readers.layer == RewireReaders::kLayers ? "layer" : "head";
    for (const auto& column : picture.readers)
        panel.column_axis.names.push_back(column_name(column, readers));
    panel.columns = std::ssize(picture.readers);
    std::vector<double> values;
    for (int64_t source = 0; source < panel.rows; ++source)
        for (const auto& column : picture.readers)
            values.push_back(mean_rise(map, table, column, static_cast<int>(source)));
    panel.values = make_column(std::move(values));
    panel.mask = HeatmapMask::kUnknown;
    picture.figure.footnote = fmt::format("loss {:.4f} nats as it is", map.loss);
    if (map.sequences > 0)
        picture.figure.footnote += fmt::format(", in {} sequence{} of {} tokens", map.sequences,
                                               map.sequences == 1 ? "" : "s", map.seq_len);
    picture.figure.value_label = "nats more";
    picture.figure.value_column = "rise";
    picture.figure.panels = {panel};
    picture.figure.scale =
        make_color_scale({.map = ColorMap::kVik}, unmasked_values(picture.figure.panels));
    return picture;
}

WiringEdit edit_of_cell(const RewireFigure& picture, int64_t row, int64_t column) {
    const std::vector<HeadId>& readers = picture.readers[static_cast<size_t>(column)];
    const bool own = readers.front().layer == row;
    WiringEdit edit{.kind = own ? WiringEdit::Kind::kOwn : WiringEdit::Kind::kRead,
                    .layer = static_cast<int>(row)};
    for (const HeadId reader : readers) edit.heads.push_back({picture.table, reader});
    return edit;
}

std::vector<std::pair<int64_t, int64_t>> cells_read(const RewireFigure& picture,
                                                    const Wiring& wiring) {
    std::vector<std::pair<int64_t, int64_t>> cells;
    for (size_t column = 0; column < picture.readers.size(); ++column) {
        const std::vector<HeadId>& readers = picture.readers[column];
        const auto layer = layer_read(wiring, picture.table, readers.front());
        const bool alike = std::all_of(readers.begin(), readers.end(), [&](HeadId reader) {
            return layer_read(wiring, picture.table, reader) == layer;
        });
        if (layer && alike) cells.emplace_back(*layer, static_cast<int64_t>(column));
    }
    return cells;
}

}  // namespace headroom
