#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "panels/architecture/drawing_inks.h"

class QPainterPath;

namespace headroom {

/// Paints the edges of one drawing: lines with rounded corners, rails with dots and arrow heads,
/// parallel streams.
class EdgePainter {
  public:
    EdgePainter(QPainter& painter, const DrawingInks& inks, const DrawingLayout& drawing);

    void paint(const DrawEdge& edge);

  private:
    using Bundle = std::tuple<EdgeKind, Ink, std::string>;

    std::vector<DrawPoint> own_stretch(const DrawEdge& edge) const;
    void paint_ends(const DrawEdge& edge, Rgb ink);
    void paint_streams(const DrawEdge& edge, const QPainterPath& path, Rgb ink);
    void arrow_head(const std::vector<DrawPoint>& points, double length);
    bool in_frame(DrawPoint point) const;

    QPainter& p_;
    const DrawingInks& inks_;
    std::vector<DrawRect> frames_;
    /// How far each source's rail and each average's way reach.
    std::map<Bundle, double> highest_, farthest_;
};

}  // namespace headroom
