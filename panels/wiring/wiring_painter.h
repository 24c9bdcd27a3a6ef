#pragma once

#include <optional>

#include <imgui.h>

#include "panels/base/theme.h"
#include "panels/wiring/wiring_layout.h"

namespace headroom {

/// Paints the picture at one place and scale. Own heads are filled squares, reused ones hollow
/// pills, sums of both are split, heads that read nothing are crossed out: shape and colour both
/// tell them apart.
class WiringPainter {
  public:
    /// `origin` is the picture's corner on the screen, `unit` pixels to one column or row.
    WiringPainter(const WiringView& view, const WiringLayout& layout, const Theme& theme,
                  WiringPoint origin, float unit);

    /// Pixels to a column or row below which colour alone tells roles apart.
    static constexpr float kShapeUnit = 9;

    WiringPoint to_world(ImVec2 pixel) const;
    /// With a focus, everything that it neither reads nor feeds is dimmed.
    void paint(ImDrawList& list, const std::optional<LaneHead>& focus) const;

  private:
    ImVec2 to_screen(WiringPoint p) const;
    void paint_labels(ImDrawList& list, Lane lane) const;
    void paint_buses(ImDrawList& list, Lane lane, bool dimmed) const;
    void paint_cell(ImDrawList& list, Lane lane, HeadRef head, float strength) const;
    void paint_focus(ImDrawList& list, const LaneHead& focus) const;
    void stroke(ImDrawList& list, Lane lane, HeadRef reader, HeadRef source, Rgb colour,
                float thickness) const;

    const WiringView& view_;
    const WiringLayout& layout_;
    const Theme& theme_;
    WiringPoint origin_;
    float unit_;
};

/// Samples of the marks with their names, after the last item of the current ImGui window and on
/// further lines where they do not fit.
void draw_wiring_legend(const Theme& theme);

}  // namespace headroom
