#pragma once

#include <array>
#include <optional>
#include <vector>

#include "panels/wiring/wiring_view.h"

namespace headroom {

struct WiringPoint {
    float x = 0;
    float y = 0;
};

struct WiringBox {
    float x0 = 0;
    float y0 = 0;
    float x1 = 0;
    float y1 = 0;
    bool contains(WiringPoint p) const { return p.x >= x0 && p.x < x1 && p.y >= y0 && p.y < y1; }
    WiringPoint centre() const { return {(x0 + x1) / 2, (y0 + y1) / 2}; }
};

/// Where everything lies, in units of one query head's column and one layer's row. Layer 1 is on
/// top; a key/value head is as wide as the query heads that it serves. The gap right of a column
/// carries its buses, the gap below a row carries them sideways to another column.
class WiringLayout {
  public:
    /// `aspect` = width / height of the canvas: the lanes go side by side or one below the other,
    /// whichever fills it better. `margin` is the room for numbers left of and above each lane.
    WiringLayout(const WiringView& view, bool show_keys, bool show_values, float aspect,
                 float margin = kMargin);

    const std::vector<KvTable>& lanes() const { return lanes_; }
    WiringBox lane_box(KvTable lane) const;
    WiringBox cell_box(KvTable lane, HeadId head) const;
    float width() const { return width_; }
    float height() const { return height_; }
    /// Room for numbers left of and above each lane.
    float margin() const { return margin_; }

    /// The corners of the line from a reader to its source.
    std::vector<WiringPoint> edge(KvTable lane, HeadId reader, HeadId source) const;
    std::optional<TableHead> head_at(WiringPoint point) const;

    static constexpr float kMargin = 1.3f;

  private:
    const WiringView* view_;
    std::vector<KvTable> lanes_;
    std::array<WiringPoint, 2> origin_;
    float width_ = 0;
    float height_ = 0;
    float margin_ = 0;
};

}  // namespace headroom
