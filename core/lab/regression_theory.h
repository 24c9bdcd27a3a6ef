#pragma once

#include "core/lab/experiment.h"
#include "core/lab/regression_model.h"

namespace headroom {

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
    LabChart lambda_chart(const RegressionSample& sample, LabResult& result) const;
    bool minimize_forms(const RegressionSample& sample, const LabProgress& progress,
                        LabResult& result) const;

    RegressionTask task_;
    int64_t sets_ = 2000, monte_carlo_ = 20000, restarts_ = 2, iterations_ = 400, seed_ = 1;
};

}  // namespace headroom
