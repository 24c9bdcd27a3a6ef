#pragma once

#include <optional>

#include <imgui.h>

#include "panels/base/theme.h"
#include "panels/wiring/wiring_layout.h"
#include "panels/wiring/wiring_ownership_view.h"

namespace headroom {

/// Paints the picture at one place and scale. Own heads are filled squares, reused ones hollow
/// pills, sums of both are split, heads that read nothing are crossed out: shape and colour both
/// tell them apart.
class WiringPainter {
  public:
    /// `origin` is the picture's corner on the screen, `unit` pixels to one column or row. With an
    /// ownership heads wear the colour of the layer whose cache they read: filled where something
    /// is kept for them, hollow where they cost nothing.
    WiringPainter(const WiringView& view, const WiringLayout& layout, const Theme& theme,
                  WiringPoint origin, float unit, const WiringOwnership* ownership = nullptr);

    /// Pixels to a column or row below which colour alone tells roles apart.
    static constexpr float kShapeUnit = 9;

    WiringPoint to_world(ImVec2 pixel) const;
    /// With a focus, everything that it neither reads nor feeds is dimmed.
    void paint(ImDrawList& list, const std::optional<TableHead>& focus) const;

  private:
    ImVec2 to_screen(WiringPoint p) const;
    void paint_labels(ImDrawList& list, KvTable lane) const;
    void paint_buses(ImDrawList& list, KvTable lane, bool dimmed) const;
    void paint_cell(ImDrawList& list, KvTable lane, HeadId head, float strength) const;
    void paint_focus(ImDrawList& list, const TableHead& focus) const;
    /// Colour of the edges to a source.
    Rgb edge_color(KvTable lane, HeadId source) const;
    Rgb plain_color(KvTable lane, HeadId head) const;
    void stroke(ImDrawList& list, KvTable lane, HeadId reader, HeadId source, Rgb colour,
                float thickness) const;

    const WiringView& view_;
    const WiringLayout& layout_;
    const Theme& theme_;
    WiringPoint origin_;
    float unit_;
    const WiringOwnership* ownership_;
};

/// Blue is for heads that only their own layer reads (kOwnHue); owners that others read take the
/// rest of the palette in turn.
Rgb owner_color(int hue, const Theme& theme);

/// Samples of the marks with their names, after the last item of the current ImGui window and on
/// further lines where they do not fit; those of the ownership where there is one.
void draw_wiring_legend(const Theme& theme, const WiringOwnership* ownership = nullptr);

}  // namespace headroom
