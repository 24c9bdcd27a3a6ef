#include "panels/inspector/record_source.h"

#include <algorithm>

#include <fmt/format.h>

namespace headroom {

static std::string title_of(const ProbeHeader& header, const std::filesystem::path& file) {
    const std::string name = header.run.empty() ? file.stem().string() : header.run;
    return header.step < 0 ? name : fmt::format("{} · step {}", name, header.step);
}

RecordSource::RecordSource(const std::filesystem::path& file, const std::string& title)
    : record_(file) {
    info_.title = title.empty() ? title_of(record_.header(), file) : title;
    info_.n_layer = static_cast<int>(record_.n_layer());
    info_.n_head = static_cast<int>(record_.n_head());
    info_.seq_len = record_.seq_len();
    info_.causal = record_.causal();
    info_.has_logits = record_.has_logits();
    info_.ids = record_.tokens().ids;
    info_.tokens = record_.tokens().pieces;
    if (const ModelConfig& model = record_.header().model;
        model.reads_images() && model.n_position() == info_.seq_len) {
        info_.patch_columns = model.image_size / model.patch_size;
        info_.first_patch = model.has_class_token() ? 1 : 0;
        info_.picture = record_.read_picture();
    }
    if (info_.tokens.empty())
        for (const int32_t id : info_.ids) info_.tokens.push_back(std::to_string(id));
}

std::vector<int64_t> RecordSource::factors(const MapPlane& plane) const {
    if (plane.signal == MapSignal::kLogits) return {1};
    return record_.levels();
}

void RecordSource::read(const MapPlane& plane, int64_t factor, const CellBox& box,
                        std::span<float> out) const {
    const MapBox part{box.row, box.column, box.rows, box.columns};
    const auto statistic =
        plane.value == CellValue::kMax ? CellStatistic::kMax : CellStatistic::kMean;
    const std::vector<float> values =
        plane.signal == MapSignal::kLogits
            ? record_.read_logits(plane.layer, plane.head, part)
            : record_.read_box(plane.layer, plane.head, factor, part, statistic);
    std::copy(values.begin(), values.end(), out.begin());
}

}  // namespace headroom
