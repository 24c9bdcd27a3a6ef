#include "panels/figure/marks_aside.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "panels/figure/clip.h"

namespace headroom {
namespace {

constexpr double kStepPt = 8;          ///< from one mark to the next
constexpr double kMostOfWidth = 0.25;  ///< that the marks of one x take
constexpr double kOfTheWay = 0.4;      ///< to another x, or to the edge, that they may go
constexpr double kMarker = 0.03;       ///< what a marker reaches beyond its point, of the y axis

/// What is drawn at one x for one id, in shares of the y axis.
struct Mark {
    std::string id;
    double x = 0;
    double lower = HUGE_VAL, upper = -HUGE_VAL;
};

/// Marks in the order of the figure.
class Marks {
  public:
    explicit Marks(const Figure& figure) : figure_(figure) {
        for (const FigureSeries& series : figure.series)
            if (series.visible && series.data) add(series.id, *series.data);
        for (const FigureBand& band : figure.bands)
            for (const CurveData& edge : {band.lower, band.upper})
                if (band.visible && edge) add(band.id, *edge);
        std::erase_if(marks_, [&](const Mark& mark) {
            return lines_.contains(mark.id) || mark.lower > mark.upper;
        });
    }

    /// Those of each x, from the lowest to the highest.
    std::map<double, std::vector<const Mark*>> by_x() const {
        std::map<double, std::vector<const Mark*>> columns;
        for (const Mark& mark : marks_) columns[mark.x].push_back(&mark);
        for (auto& [x, column] : columns)
            std::stable_sort(column.begin(), column.end(),
                             [](const Mark* a, const Mark* b) { return a->lower < b->lower; });
        return columns;
    }

  private:
    void add(const std::string& id, const Curve& curve) {
        if (curve.size() == 0) return;
        auto mark = std::find_if(marks_.begin(), marks_.end(),
                                 [&](const Mark& each) { return each.id == id; });
        if (mark == marks_.end()) mark = marks_.insert(mark, {id, curve.x().front()});
        if (curve.x().front() != mark->x || curve.x().back() != mark->x) lines_.insert(id);
        for (size_t i = 0; i < curve.size(); ++i) {
            const double place = place_on(figure_.y.range, figure_.y.scale, curve.y()[i]);
            if (!std::isfinite(place)) continue;
            mark->lower = std::min(mark->lower, place - kMarker);
            mark->upper = std::max(mark->upper, place + kMarker);
        }
    }

    const Figure& figure_;
    std::vector<Mark> marks_;
    std::set<std::string> lines_;  ///< ids that are drawn over several x
};

}  // namespace

bool set_marks_aside(Figure& figure) {
    const Marks marks(figure);
    std::map<std::string, double> asides;
    const auto columns = marks.by_x();
    const auto place = [&](double x) { return place_on(figure.x.range, figure.x.scale, x); };
    /// Points of print from an x to what a mark of it must not be taken for.
    const auto room = [&](double x) {
        double least = std::min(place(x), 1 - place(x)) / kOfTheWay;  // all the way to an edge
        for (const auto& [other, column] : columns)
            if (other != x) least = std::min(least, std::abs(place(other) - place(x)));
        return kOfTheWay * std::max(least, 0.0) * figure.width_in * 72;
    };
    const auto spread = [&](std::vector<const Mark*> heap) {
        if (heap.size() < 2) return;
        const double x = heap.front()->x;
        std::sort(heap.begin(), heap.end());  // as they lie in the figure
        const auto gaps = static_cast<double>(heap.size() - 1);
        const double step =
            std::min({kStepPt, kMostOfWidth * figure.width_in * 72 / gaps, 2 * room(x) / gaps});
        for (size_t i = 0; i < heap.size(); ++i)
            asides[heap[i]->id] = (static_cast<double>(i) - gaps / 2) * step;
    };
    for (const auto& [x, column] : columns) {
        std::vector<const Mark*> heap;
        double top = -HUGE_VAL;
        for (const Mark* mark : column) {
            if (mark->lower > top) {
                spread(std::move(heap));
                heap.clear();
            }
            heap.push_back(mark);
            top = std::max(top, mark->upper);
        }
        spread(std::move(heap));
    }
    for (FigureSeries& series : figure.series)
        if (const auto aside = asides.find(series.id); aside != asides.end())
            series.aside = aside->second;
    for (FigureBand& band : figure.bands)
        if (const auto aside = asides.find(band.id); aside != asides.end())
            band.aside = aside->second;
    return !asides.empty();
}

}  // namespace headroom
