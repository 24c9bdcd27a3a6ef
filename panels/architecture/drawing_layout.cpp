#include "panels/architecture/drawing_layout.h"

#include <algorithm>
#include <iterator>

namespace headroom {

const DrawBox* DrawingLayout::find(const std::string& id) const {
    const auto found =
        std::find_if(boxes.begin(), boxes.end(), [&](const DrawBox& box) { return box.id == id; });
    return found == boxes.end() ? nullptr : &*found;
}

const DrawBox* DrawingLayout::box_at(DrawPoint point) const {
    // Boxes stand after the ones that they lie in.
    const auto found = std::find_if(boxes.rbegin(), boxes.rend(),
                                    [&](const DrawBox& box) { return box.rect.contains(point); });
    return found == boxes.rend() ? nullptr : &*found;
}

void turn_over(DrawingLayout& drawing) {
    const double height = drawing.height;
    for (DrawBox& box : drawing.boxes) box.rect.y = height - box.rect.bottom();
    for (DrawEdge& edge : drawing.edges)
        for (DrawPoint& point : edge.path) point.y = height - point.y;
    for (DrawLabel& label : drawing.labels) label.at.y = height - label.at.y;
}

void move_by(DrawingLayout& drawing, double dx, double dy) {
    for (DrawBox& box : drawing.boxes) {
        box.rect.x += dx;
        box.rect.y += dy;
    }
    for (DrawEdge& edge : drawing.edges)
        for (DrawPoint& point : edge.path) point = {point.x + dx, point.y + dy};
    for (DrawLabel& label : drawing.labels) label.at = {label.at.x + dx, label.at.y + dy};
}

void append(DrawingLayout& drawing, DrawingLayout part, double x, double y) {
    move_by(part, x, y);
    std::move(part.boxes.begin(), part.boxes.end(), std::back_inserter(drawing.boxes));
    std::move(part.edges.begin(), part.edges.end(), std::back_inserter(drawing.edges));
    std::move(part.labels.begin(), part.labels.end(), std::back_inserter(drawing.labels));
}

void mark_changes(DrawingLayout& drawing, const DrawingLayout& other) {
    for (DrawBox& box : drawing.boxes) {
        if (box.role == BoxRole::kFrame || box.role == BoxRole::kLayer ||
            box.role == BoxRole::kDots || box.id.starts_with("key."))
            continue;  // layers are marked by mark_changed_layers, the key says nothing
        const DrawBox* same = other.find(box.id);
        box.changed = !same || same->role != box.role || same->label != box.label ||
                      same->note != box.note || same->heads != box.heads;
    }
    for (DrawEdge& edge : drawing.edges)
        edge.changed = std::none_of(other.edges.begin(), other.edges.end(), [&](const auto& e) {
            return e.kind == edge.kind && e.ink == edge.ink && e.from == edge.from &&
                   e.to == edge.to && e.lines == edge.lines;
        });
}

}  // namespace headroom
