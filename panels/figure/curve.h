#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace headroom {

/// A closed interval of an axis.
struct Range {
    double lower = 0;
    double upper = 1;

    double size() const { return upper - lower; }
    bool contains(double value) const { return value >= lower && value <= upper; }
    bool operator==(const Range&) const = default;
};

enum class AxisScale { kLinear, kLog };

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

/// Values shared by whoever draws them.
using Column = std::shared_ptr<const std::vector<double>>;

Column make_column(std::vector<double> values);

/// One line of a figure with all its points, and the extremes of its blocks, so that a drawing of
/// any stretch costs as much as the columns of the screen and not as the points behind them.
/// Immutable after construction; any thread may read it.
class Curve {
  public:
    /// REQUIRES: x and y equally long, x finite and not decreasing. y may hold NaN and infinity
    /// (gaps).
    Curve(Column x, Column y);

    std::span<const double> x() const { return *x_; }
    std::span<const double> y() const { return *y_; }
    size_t size() const { return x_->size(); }
    bool empty() const { return x_->empty(); }

    /// Indices of the least and the greatest y in [begin, end); both kNone if none is finite.
    struct Extremes {
        size_t least = kNone;
        size_t greatest = kNone;
    };
    static constexpr size_t kNone = static_cast<size_t>(-1);
    Extremes extremes(size_t begin, size_t end) const;

    /// First index with x >= value, and first index with x > value.
    size_t lower_index(double value) const;
    size_t upper_index(double value) const;

  private:
    void include(size_t index, Extremes& into) const;
    void include(const Extremes& other, Extremes& into) const;
    void build_levels();

    Column x_, y_;
    /// levels_[k][b]: extremes of the kBlock^(k+1) points from b * kBlock^(k+1) on.
    std::vector<std::vector<Extremes>> levels_;
};

using CurveData = std::shared_ptr<const Curve>;

CurveData make_curve(Column x, Column y);
CurveData make_curve(std::vector<double> x, std::vector<double> y);

/// The stretch of a curve that a drawing `columns` wide needs to look as if every point had been
/// drawn: in each column the first, least, greatest and last value, in their order; stretches with
/// few points come out whole. Never a sample: no spike disappears. One point beyond either end is
/// included so that lines leave the frame. Gaps stay NaN. With a log scale, columns are equally
/// wide in the logarithm and x <= 0 is left out.
std::vector<Point> envelope(const Curve& curve, Range x, int columns, AxisScale scale);

}  // namespace headroom
