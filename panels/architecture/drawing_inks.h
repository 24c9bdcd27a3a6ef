#pragma once

#include <QPen>

#include "panels/architecture/drawing_layout.h"
#include "panels/base/rgb.h"
#include "panels/figure/palette.h"

namespace headroom {

/// The colours and pens of architecture drawings in one theme.
class DrawingInks {
  public:
    explicit DrawingInks(bool dark) : dark_(dark), theme_(figure_theme(dark)) {}

    Rgb colour(Ink ink) const;
    /// A colour let down with the ground.
    Rgb tint(Rgb colour, double share) const;
    Rgb text() const { return theme_.ink; }
    Rgb muted() const { return theme_.muted; }
    Rgb ground() const { return theme_.ground; }
    Rgb frame() const { return tint(theme_.ink, 0.035); }  ///< ground of the block in detail
    Rgb halo() const;                                      ///< around what differs
    Rgb held() const;                                      ///< words on what cannot go

    static QPen pen(Rgb colour, double width, bool dashed = false);

  private:
    bool dark_;
    const FigureTheme& theme_;
};

struct LabelStyle {
    double points = 6;  ///< type size
    TextAlign align = TextAlign::kCentre;
    Rgb colour{};
    bool bold = false;
    double room = 0;  ///< narrowed to this width where it would be wider; 0: no limit
};

/// Sets one line of a label beside or around a point, which is the middle of its height.
void paint_text(QPainter& painter, const std::string& label, DrawPoint at, const LabelStyle& style);

}  // namespace headroom
