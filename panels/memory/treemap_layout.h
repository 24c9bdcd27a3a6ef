#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panels/memory/treemap_view.h"

namespace headroom {

struct TreemapRect {
    double x = 0, y = 0, width = 0, height = 0;

    double area() const { return width * height; }
    bool contains(double px, double py) const {
        return px >= x && px < x + width && py >= y && py < y + height;
    }
};

/// Rectangles that fill `whole`, their areas as the sizes, as square as can be: Bruls, Huizing and
/// van Wijk, "Squarified treemaps" (2000). Rectangle i belongs to size i; sizes of 0 get none of
/// the area. REQUIRES: no negative size.
std::vector<TreemapRect> squarify(std::span<const int64_t> sizes, TreemapRect whole);

/// A rectangle that is filled.
struct TreemapCell {
    TreemapRect rect;
    size_t model = 0;
    int64_t bytes = 0;
    std::string label;
    int color = 0;
    double tone = 0;
    bool shared = false;
    std::vector<std::string> lines;
};

/// The border of a group: depth 0 is a model, 1 a heading, 2 a layer.
struct TreemapFrame {
    TreemapRect rect;
    int depth = 0;
};

struct TreemapTitle {
    std::string name, total;
    TreemapRect rect;  ///< two lines high where names of this length hardly fit beside the totals
};

/// A treemap on a sheet of some size.
struct TreemapLayout {
    double width = 0, height = 0;
    std::vector<TreemapCell> cells;
    std::vector<TreemapFrame> frames;  ///< the outer ones last
    std::vector<TreemapTitle> titles;  ///< above each model: its name and total

    /// Index of the cell at a place.
    std::optional<size_t> cell_at(double x, double y) const;
    /// The nearest cell whose middle lies in a direction, (1, 0) being right; `from` itself where
    /// there is none. REQUIRES: from < cells.size().
    size_t neighbour(size_t from, int dx, int dy) const;
};

/// Models stand beside each other, as wide as their bytes, so that equal areas are equal bytes.
TreemapLayout lay_out_treemap(const TreemapView& view, double width, double height);

}  // namespace headroom
