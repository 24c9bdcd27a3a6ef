#pragma once

#include <optional>

#include "core/wiring/head_id.h"
#include "panels/inspector/map_frame.h"

namespace headroom {

/// The grid of all heads: layers downwards, heads to the right, square thumbnails as large as they
/// fit. All in pixels.
class AtlasLayout {
  public:
    /// `margin`: room for the numbers left of and above the grid.
    AtlasLayout(const PixelBox& box, int n_layer, int n_head, double margin);

    PixelBox cell(HeadId place) const;
    /// The grid without its numbers.
    PixelBox grid() const;
    std::optional<HeadId> head_at(double x, double y) const;
    /// How wide a thumbnail is, without its gap.
    double side() const { return pitch_ - gap_; }
    double pitch() const { return pitch_; }
    /// Every how many a number fits beside a row or above a column.
    int label_every(double label_size) const;

  private:
    int n_layer_, n_head_;
    double x_, y_, pitch_, gap_;
};

/// Steps from one head to the next, held at the ends of the grid.
HeadId stepped(HeadId place, int layers, int heads, int n_layer, int n_head);

}  // namespace headroom
