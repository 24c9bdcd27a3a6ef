#pragma once

#include <QMetaObject>
#include <QPointer>
#include <QSize>
#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "panels/figure/figure.h"
#include "panels/figure/figure_legend.h"
#include "panels/figure/figure_look.h"
#include "panels/figure/line_picture.h"
#include "panels/figure/palette.h"

class QCustomPlot;
class QCPGraph;
class QCPItemRect;
class QCPItemText;
class QCPTextElement;

namespace headroom {

class LineLayer;

/// Draws a Figure with QCustomPlot: the one renderer behind the window and all exports. Curves are
/// thinned to what the drawing can show whenever the axes change; on the screen a LineLayer paints
/// very many of them, so that a figure of ten million points pans smoothly. UI thread only; the
/// plot must outlive the renderer.
class FigureRenderer {
  public:
    explicit FigureRenderer(QCustomPlot& plot);
    ~FigureRenderer();
    FigureRenderer(const FigureRenderer&) = delete;
    FigureRenderer& operator=(const FigureRenderer&) = delete;

    /// Replaces what the plot shows. `size` is that of the drawing, in pixels of 1/96 inch.
    void show(const Figure& figure, const FigureLook& look, QSize size);

    /// The figure as it stands, with the ranges that the axes have now.
    Figure current() const;

    const FigureLegend& legend() const { return legend_; }
    /// Whether all lines were drawn where they are now; a moment later they will have been.
    bool is_exact() const;
    /// What the lines' last picture took on its thread; 0 where they have none.
    double painting_ms() const;

  private:
    struct DrawnSeries {
        size_t index = 0;
        QCPGraph* line = nullptr;
        QCPGraph* markers = nullptr;
    };
    struct DrawnBand {
        size_t index = 0;
        QCPGraph* lower = nullptr;
        QCPGraph* upper = nullptr;  ///< null where the band is one upright line, `lower`
    };
    struct DrawnBar {
        size_t index = 0;
        QCPItemRect* part = nullptr;
        QCPItemText* label = nullptr;
    };
    void clear();
    void style_axes();
    void name_columns();
    void add_bands();
    void add_series();
    void add_bars();
    void place_bars();
    void add_rules();
    QCPTextElement* make_text(const std::string& text, double points, bool bold);
    void lay_out();
    void label_axes();
    void make_scene();
    void resample();
    void draw_quickly(const Frame& frame, int columns);
    std::vector<Point> aside(std::vector<Point> points, double by_pt) const;
    void set_line(const DrawnSeries& drawn, const std::vector<Point>& points, bool zigzag);

    QCustomPlot& plot_;
    FigureLegend legend_;
    QMetaObject::Connection before_replot_;
    Figure figure_;
    FigureLook look_;
    QSize size_;
    QPointer<LineLayer> layer_;  ///< draws the lines in place of their graphs where they are many
    std::shared_ptr<const std::vector<SceneLine>> scene_;  ///< a line for each of series_
    std::vector<DrawnSeries> series_;
    std::vector<DrawnBand> bands_;
    std::vector<DrawnBar> bars_;
    QPointer<QCPTextElement> title_, footnote_;
};

}  // namespace headroom
