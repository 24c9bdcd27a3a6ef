#pragma once

#include <QMetaObject>
#include <QPointer>
#include <QSize>
#include <QString>
#include <string>
#include <vector>

#include "panels/figure/figure.h"
#include "panels/figure/palette.h"

class QCustomPlot;
class QCPAbstractLegendItem;
class QCPGraph;
class QCPTextElement;

namespace headroom {

struct FigureLook {
    bool dark = false;
    bool hidden_in_legend = false;  ///< hidden series keep a greyed entry, to be clicked on again
    double columns_per_pixel = 1;   ///< detail of curves; more than 1 for print
    bool quick = false;             ///< draw lines that fill areas with a thin pen: 20 times faster
};

/// Draws a Figure with QCustomPlot: the one renderer behind the window and all exports. Curves are
/// thinned to what the drawing can show whenever the axes change, so that a figure of ten million
/// points pans smoothly. UI thread only; the plot must outlive the renderer.
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

    /// Id of the series behind a legend entry, "" if there is none.
    std::string id_of(const QCPAbstractLegendItem* item) const;

  private:
    struct DrawnSeries {
        size_t index = 0;
        QCPGraph* line = nullptr;
        QCPGraph* markers = nullptr;
    };
    struct DrawnBand {
        size_t index = 0;
        QCPGraph* lower = nullptr;
        QCPGraph* upper = nullptr;
    };
    struct LegendEntry {
        const QCPAbstractLegendItem* item = nullptr;
        std::string id;
    };

    void clear();
    void style_axes();
    void add_bands();
    void add_series();
    void fill_legend();
    void add_legend_entry(const std::string& id, const std::string& name, LineStyle style,
                          Rgb colour, bool active);
    void add_rules();
    QCPTextElement* make_text(const std::string& text, double points, bool bold);
    void lay_out();
    void label_axes();
    void style_legend();
    LegendPlace choose_legend_place() const;
    void resample();
    void set_line(const DrawnSeries& drawn, const std::vector<Point>& points);

    QCustomPlot& plot_;
    QMetaObject::Connection before_replot_;
    Figure figure_;
    FigureLook look_;
    QSize size_;
    std::vector<DrawnSeries> series_;
    std::vector<DrawnBand> bands_;
    std::vector<LegendEntry> entries_;
    QPointer<QCPTextElement> title_, footnote_;
    LegendPlace placed_ = LegendPlace::kTopRight;
};

}  // namespace headroom
