#include "panels/architecture/block_builder_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/model/parameters.h"
#include "panels/architecture/label_text.h"
#include "panels/base/number_format.h"

namespace headroom {

BlockBuilder::BlockBuilder(const ArchitectureView& view, int kind, std::string prefix)
    : view_(view), kind_(kind), prefix_(std::move(prefix)) {
    ModelConfig counted = view.model;
    counted.vocab_size = std::max<int64_t>(counted.vocab_size, 1);
    const std::string stored = fmt::format("h.{}.", counted.share_layers ? 0 : layer());
    for (const ParameterSpec& spec : parameter_specs(counted)) {
        if (!spec.name.starts_with(stored)) continue;
        tensors_[spec.name.substr(stored.size())] = spec.shape;
        if (spec.shape.size() == 2 && spec.name.find(".attn.") != std::string::npos)
            column_width_ =
                std::max(column_width_, label_width(shape_text(spec.shape), kNoteType) + 4);
    }
}

const Shape* BlockBuilder::tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

DrawBox& BlockBuilder::add_box(const std::string& name, BoxRole role, Ink ink, DrawRect rect,
                               std::string label, std::string note) {
    DrawBox box;
    box.id = id(name);
    box.parent = id("frame");
    box.role = role;
    box.ink = ink;
    box.rect = rect;
    box.label = std::move(label);
    box.note = std::move(note);
    drawing_.boxes.push_back(std::move(box));
    return drawing_.boxes.back();
}

bool BlockBuilder::add_tensor(const std::string& name, const std::string& tensor_name, BoxRole role,
                              Ink ink, DrawRect rect, const std::string& label) {
    const Shape* shape = tensor(tensor_name);
    if (!shape) return false;
    DrawBox& box = add_box(name, role, ink, rect, label, shape_text(*shape));
    box.tip = fmt::format("h.{}.{} [{}]: {} parameters", model().share_layers ? 0 : layer(),
                          tensor_name, shape_text(*shape), format_integer(count_of(*shape)));
    return true;
}

DrawEdge& BlockBuilder::add_edge(const std::string& from, const std::string& to,
                                 std::vector<DrawPoint> path, Ink ink) {
    DrawEdge edge;
    edge.ink = ink;
    edge.from = from;
    edge.to = to;
    edge.path = std::move(path);
    drawing_.edges.push_back(std::move(edge));
    return drawing_.edges.back();
}

DrawRect BlockBuilder::circle(DrawPoint centre) const {
    constexpr double kSize = BlockSizes::kCircle;
    return {centre.x - kSize / 2, centre.y - kSize / 2, kSize, kSize};
}

}  // namespace headroom
