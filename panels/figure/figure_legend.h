#pragma once

#include <QPointF>
#include <QSize>
#include <string>
#include <vector>

#include "panels/base/rgb.h"
#include "panels/figure/figure.h"
#include "panels/figure/figure_look.h"

class QCustomPlot;
class QCPAbstractLegendItem;

namespace headroom {

/// The legend of a drawn figure: runs, rules, and what the styles mean; in a corner of the axes
/// that is free, or below them. UI thread only.
class FigureLegend {
  public:
    explicit FigureLegend(QCustomPlot& plot);

    /// Takes the legend out of the plot's layout and empties it.
    void clear();
    /// Fills it for a figure drawn in this size and chooses its place.
    void fill(const Figure& figure, const FigureLook& look, QSize size);
    /// Puts it into the chosen place. Call once the title stands above the axes.
    void place();

    /// Id of the series or key whose entry is drawn there, "" if there is none.
    std::string id_at(QPointF position) const;

  private:
    struct Entry {
        std::string id;
        std::string name;
        LineStyle style;
        Rgb colour;
        bool active = true;
        bool explains = false;  ///< what a rule or a style means: said however many lines there are
    };
    struct DrawnEntry {
        const QCPAbstractLegendItem* item = nullptr;
        std::string id;
    };

    std::vector<Entry> entries_of(const Figure& figure) const;
    static std::vector<Entry> first_of(std::vector<Entry> entries, size_t shown);
    void show(const std::vector<Entry>& entries);
    void add(const Entry& entry);
    void style();
    LegendPlace choose_place(const Figure& figure) const;
    void fit_below(std::vector<Entry> entries);

    QCustomPlot& plot_;
    FigureLook look_;
    QSize size_;
    std::vector<DrawnEntry> drawn_;
    LegendPlace placed_ = LegendPlace::kTopRight;
};

}  // namespace headroom
