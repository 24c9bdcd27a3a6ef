#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/surgery/surgery.h"

namespace headroom {

/// A matrix that a surgery inverts.
struct InvertedMatrix {
    std::string tensor;
    double condition = 0;  ///< largest over smallest singular value; infinite if singular
};

/// Beyond this a matrix counts as singular: no digit of a double's sixteen would be sure.
inline constexpr double kLargestCondition = 1e14;

/// What the numbers of a model say about surgeries on it. Condition numbers are kept, so that one
/// matrix is examined once; one matrix is in memory at a time.
class SurgeryNumbers {
  public:
    /// `source` must outlive this.
    explicit SurgeryNumbers(const WeightSource& source) : source_(source) {}

    /// REQUIRES: plan.applies().
    std::vector<InvertedMatrix> inverted(const SurgeryPlan& plan);
    /// The assumption that fails by its numbers: a singular matrix, a bias that is not 0 and has no
    /// place any more. "" where none does.
    std::string refusal(const SurgeryPlan& plan);

  private:
    double condition(const LayerMatrix& which);
    std::string homeless_bias(const SurgeryPlan& plan, int layer) const;
    bool is_zero(const std::string& bias) const;

    const WeightSource& source_;
    std::map<std::string, double> conditions_;
};

}  // namespace headroom
