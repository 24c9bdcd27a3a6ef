#include "core/lab/minimize.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/linalg/matrix.h"

namespace headroom {
namespace {

/// a + factor b.
std::vector<double> moved(std::vector<double> a, double factor, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
    return a;
}

/// The last steps and what they changed in the gradient: an inverse Hessian.
class History {
  public:
    void add(std::vector<double> step, std::vector<double> change) {
        const double curvature = dot(step, change);
        if (curvature <= 1e-12 * std::sqrt(dot(step, step) * dot(change, change))) return;
        pairs_.push_back({std::move(step), std::move(change), 1 / curvature});
        if (pairs_.size() > 10) pairs_.pop_front();
    }
    void clear() { pairs_.clear(); }
    bool empty() const { return pairs_.empty(); }

    /// Minus the inverse Hessian times the gradient, by the two-loop recursion.
    std::vector<double> direction(const std::vector<double>& gradient) const {
        std::vector<double> q = gradient, alpha(pairs_.size());
        for (size_t i = pairs_.size(); i-- > 0;) {
            alpha[i] = pairs_[i].rho * dot(pairs_[i].step, q);
            q = moved(std::move(q), -alpha[i], pairs_[i].change);
        }
        if (!pairs_.empty()) {
            const Pair& last = pairs_.back();
            const double scale = 1 / (last.rho * dot(last.change, last.change));
            for (double& value : q) value *= scale;
        }
        for (size_t i = 0; i < pairs_.size(); ++i) {
            // Apart from the call: which of its arguments is evaluated first is open.
            const double factor = alpha[i] - pairs_[i].rho * dot(pairs_[i].change, q);
            q = moved(std::move(q), factor, pairs_[i].step);
        }
        for (double& value : q) value = -value;
        return q;
    }

  private:
    struct Pair {
        std::vector<double> step, change;
        double rho;
    };
    std::deque<Pair> pairs_;
};

}  // namespace

Minimum minimize(const DifferentiableFunction& objective, std::vector<double> start, int most,
                 double tolerance, const std::function<bool()>& go_on) {
    constexpr double kArmijo = 1e-4, kSmallestStep = 1e-14;
    constexpr int kPatience = 20;
    Minimum best{std::move(start)};
    std::vector<double> gradient(best.x.size()), next_gradient(best.x.size());
    best.value = objective(best.x, gradient);
    History history;
    std::vector<double> values;  // before each iteration
    for (int still = 0; best.iterations < most && still < kPatience && go_on(); ++best.iterations) {
        values.push_back(best.value);
        std::vector<double> direction = history.direction(gradient);
        double slope = dot(direction, gradient);
        if (slope >= 0) {  // rounding: begin anew along the gradient
            history.clear();
            direction = history.direction(gradient);
            slope = dot(direction, gradient);
        }
        if (slope == 0) break;
        double step = history.empty() ? std::min(1.0, 0.1 / std::sqrt(-slope)) : 1.0;
        std::vector<double> x;
        double value = 0;
        for (; step > kSmallestStep; step /= 2) {
            x = moved(best.x, step, direction);
            value = objective(x, next_gradient);
            if (std::isfinite(value) && value <= best.value + kArmijo * step * slope) break;
        }
        if (step <= kSmallestStep) {
            if (history.empty()) break;
            history.clear();
            continue;
        }
        still = best.value - value < tolerance * std::abs(value) ? still + 1 : 0;
        history.add(moved(x, -1, best.x), moved(next_gradient, -1, gradient));
        best.x = std::move(x);
        best.value = value;
        gradient = next_gradient;
    }
    if (!values.empty()) best.late_gain = values[values.size() / 2] - best.value;
    return best;
}

}  // namespace headroom
