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

/// What is kept of a curve with more points than are worth keeping: the extremes of stretches that
/// follow each other without a hole, so that no spike is lost.
struct CurveOutline {
    Column x;                            ///< where each stretch begins; then where the last ends
    std::vector<float> least, greatest;  ///< of each; least > greatest where nothing is finite

    size_t size() const { return least.size(); }
};

/// One line of a figure: its points, and the extremes of their blocks, so that a drawing of any
/// stretch costs as much as the columns of the screen and not as the points behind them. Of a very
/// long one the outline, and the points of the stretch that is looked at closely.
/// Immutable after construction; any thread may read it.
class Curve {
  public:
    /// REQUIRES: x and y equally long, x finite and not decreasing. y may hold NaN and infinity
    /// (gaps).
    Curve(Column x, Column y);
    /// The points are those with an x in `points` and one beyond either end, if there is one.
    /// REQUIRES: as above, and of the outline's x too, which is one longer than its extremes.
    Curve(std::shared_ptr<const CurveOutline> outline, Column x, Column y, Range points);

    /// The points, all of them unless is_outlined().
    std::span<const double> x() const { return *x_; }
    std::span<const double> y() const { return *y_; }
    size_t size() const { return x_->size(); }
    bool empty() const { return x_->empty() && !outline_; }
    bool is_outlined() const { return outline_ != nullptr; }
    /// REQUIRES: is_outlined().
    const CurveOutline& outline() const { return *outline_; }
    /// Whether the points with an x in `range` are all there.
    bool has_points(Range range) const;

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
    std::shared_ptr<const CurveOutline> outline_;  ///< null: all points are there
    Range points_;
    /// levels_[k][b]: extremes of the kPointsPerBlock^(k+1) points from b * kPointsPerBlock^(k+1)
    /// on.
    std::vector<std::vector<Extremes>> levels_;
};

using CurveData = std::shared_ptr<const Curve>;

CurveData make_curve(Column x, Column y);
CurveData make_curve(std::vector<double> x, std::vector<double> y);
/// A curve of more than kMostPoints as its outline and the points in `points`, any other as it is.
inline constexpr size_t kMostPoints = 65536;
CurveData outline_if_long(const CurveData& curve, Range points);

/// The stretch of a curve that a drawing `columns` wide needs to look as if every point had been
/// drawn: in each column the first, least, greatest and last value, in their order; stretches with
/// few points come out whole. Never a sample: no spike disappears. One point beyond either end is
/// included so that lines leave the frame. Gaps stay NaN. Where a curve has only its outline, a
/// column comes out as the least and the greatest value of the stretches that begin in it. With a
/// log scale, columns are equally wide in the logarithm and x <= 0 is left out.
std::vector<Point> envelope(const Curve& curve, Range x, int columns, AxisScale scale);

}  // namespace headroom
