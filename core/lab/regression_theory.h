#pragma once

#include <limits>
#include <vector>

#include "core/lab/experiment.h"
#include "core/lab/regression_model.h"

namespace headroom {

/// The parameters of the least loss that a search found.
struct LeastLoss {
    int64_t a = 0;
    std::vector<double> x;
    double value = std::numeric_limits<double>::infinity();
    int iterations = 0;
    double late_gain = 0;  ///< what the later half of the iterations gained
};

/// In-context regression by one linear attention layer, with the first layer's values or without:
/// Wu et al. 2025 (SkipV1Former), Theorem 1 and appendix A.
class RegressionTheory : public Experiment {
  public:
    std::string name() const override { return "regression-theory"; }
    std::string title() const override { return "In-context regression with first-layer values"; }
    std::string theorem() const override {
        return "Wu et al. 2025 (SkipV1Former), Theorem 1, Assumption 1";
    }
    std::string shows() const override;
    std::vector<LabOption> options() override;
    LabResult run(const LabProgress& progress) override;

  private:
    /// The closed form, checked on the fresh sets.
    void check_closed_form(LabResult& result) const;
    bool minimize_forms(const LabProgress& progress, LabResult& result) const;
    void check_minima(const LeastLoss (&least)[2], LabResult& result) const;

    RegressionTask task_;
    /// The losses are minimised on the first; what was found there is judged on the second.
    RegressionSample sample_, fresh_;
    int64_t sets_ = 2000, monte_carlo_ = 50000, restarts_ = 2, iterations_ = 400, seed_ = 1;
};

}  // namespace headroom
