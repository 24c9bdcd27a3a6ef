#include "panels/memory/treemap_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "panels/base/number_format.h"

namespace headroom {
namespace {

constexpr double kTitleHeight = 20, kTwoLineTitle = 32, kBetween = 10;
constexpr double kLetter = 7;  ///< about as wide as one of a title

/// One strip of rectangles along the shorter side of what is left.
class Strip {
  public:
    Strip(std::span<const double> areas, TreemapRect left) : areas_(areas), left_(left) {
        side_ = std::min(left.width, left.height);
    }

    /// How far the worst of the first `count` rectangles would be from a square; 1 is a square.
    double worst(size_t count) const {
        const double sum = std::accumulate(areas_.begin(), areas_.begin() + at(count), 0.0);
        const auto [least, most] = std::minmax_element(areas_.begin(), areas_.begin() + at(count));
        const double side2 = side_ * side_, sum2 = sum * sum;
        return std::max(side2 * *most / sum2, sum2 / (side2 * *least));
    }

    /// Places the first `count` and gives back what is left.
    TreemapRect place(size_t count, std::vector<TreemapRect>& out) const {
        const double sum = std::accumulate(areas_.begin(), areas_.begin() + at(count), 0.0);
        const double thick = sum / side_;
        const bool upright = left_.width >= left_.height;
        double along = 0;
        for (size_t i = 0; i < count; ++i) {
            const double length = areas_[i] / thick;
            out.push_back(upright ? TreemapRect{left_.x, left_.y + along, thick, length}
                                  : TreemapRect{left_.x + along, left_.y, length, thick});
            along += length;
        }
        TreemapRect rest = left_;
        if (upright) {
            rest.x += thick;
            rest.width = std::max(0.0, rest.width - thick);
        } else {
            rest.y += thick;
            rest.height = std::max(0.0, rest.height - thick);
        }
        return rest;
    }

  private:
    static std::ptrdiff_t at(size_t count) { return static_cast<std::ptrdiff_t>(count); }

    std::span<const double> areas_;
    TreemapRect left_;
    double side_ = 0;
};

void add_node(const TreemapNode& node, TreemapRect rect, size_t model, int depth,
              TreemapLayout& layout) {
    if (node.children.empty()) {
        layout.cells.push_back(
            {rect, model, node.bytes, node.label, node.color, node.tone, node.shared, node.lines});
        return;
    }
    std::vector<int64_t> sizes;
    for (const TreemapNode& child : node.children) sizes.push_back(child.bytes);
    const std::vector<TreemapRect> rects = squarify(sizes, rect);
    for (size_t i = 0; i < rects.size(); ++i)
        if (rects[i].area() > 0) add_node(node.children[i], rects[i], model, depth + 1, layout);
    layout.frames.push_back({rect, depth});
}

}  // namespace

std::vector<TreemapRect> squarify(std::span<const int64_t> sizes, TreemapRect whole) {
    std::vector<size_t> order;
    for (size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
    double total = 0;
    for (const size_t i : order) total += static_cast<double>(sizes[i]);
    std::vector<double> areas;
    for (const size_t i : order)
        areas.push_back(static_cast<double>(sizes[i]) / total * whole.area());
    std::vector<TreemapRect> placed;
    for (size_t first = 0; whole.area() > 0 && first < areas.size();) {
        const Strip strip(std::span<const double>(areas).subspan(first), whole);
        size_t count = 1;
        while (first + count < areas.size() && strip.worst(count + 1) <= strip.worst(count))
            ++count;
        whole = strip.place(count, placed);
        first += count;
    }
    std::vector<TreemapRect> rects(sizes.size());
    for (size_t i = 0; i < placed.size(); ++i) rects[order[i]] = placed[i];
    return rects;
}

TreemapLayout lay_out_treemap(const TreemapView& view, double width, double height) {
    TreemapLayout layout;
    layout.width = width;
    layout.height = height;
    double total = 0;
    for (const TreemapModel& model : view.models) total += static_cast<double>(model.root.bytes);
    const double gaps = kBetween * (static_cast<double>(view.models.size()) - 1);
    const auto width_of = [&](const TreemapNode& root) {
        return (width - gaps) * static_cast<double>(root.bytes) / total;
    };
    double x = 0, top = kTitleHeight;
    for (const TreemapModel& model : view.models) {
        const std::string line = model.root.name + ": " + format_bytes(model.root.bytes);
        if (kLetter * static_cast<double>(line.size()) > width_of(model.root)) top = kTwoLineTitle;
    }
    if (total <= 0 || width <= gaps || height <= top) return layout;
    for (size_t i = 0; i < view.models.size(); ++i) {
        const TreemapNode& root = view.models[i].root;
        const double wide = width_of(root);
        layout.titles.push_back({root.name, format_bytes(root.bytes), {x, 0, wide, top}});
        add_node(root, {x, top, wide, height - top}, i, 0, layout);
        x += wide + kBetween;
    }
    std::stable_sort(layout.frames.begin(), layout.frames.end(),
                     [](const auto& a, const auto& b) { return a.depth > b.depth; });
    return layout;
}

std::optional<size_t> TreemapLayout::cell_at(double x, double y) const {
    for (size_t i = 0; i < cells.size(); ++i)
        if (cells[i].rect.contains(x, y)) return i;
    return std::nullopt;
}

size_t TreemapLayout::neighbour(size_t from, int dx, int dy) const {
    const auto middle = [](const TreemapRect& rect) {
        return std::pair(rect.x + rect.width / 2, rect.y + rect.height / 2);
    };
    const auto [x, y] = middle(cells[from].rect);
    size_t best = from;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < cells.size(); ++i) {
        const auto [cx, cy] = middle(cells[i].rect);
        const double ahead = (cx - x) * dx + (cy - y) * dy;
        const double aside = std::abs((cx - x) * dy) + std::abs((cy - y) * dx);
        if (ahead <= 1e-9 || aside > 2 * ahead + 1e-9) continue;
        if (const double far = ahead + 2 * aside; far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

}  // namespace headroom
