#pragma once

#include <optional>

#include "core/config/model_config.h"
#include "core/lab/experiment.h"

namespace headroom {

/// How near MLPs without a skip of the same width come to MLPs with one: the study that Mijoski &
/// Karbevski 2026 (arXiv:2604.23705), section 9 leave open.
class ApproximateAbsorption : public Experiment {
  public:
    std::string name() const override { return "approximate-absorption"; }
    std::string title() const override { return "How nearly an MLP absorbs its skip"; }
    std::string theorem() const override {
        return "Mijoski & Karbevski 2026, section 9; Theorems 8 and 10, Propositions 5 and 6";
    }
    std::string shows() const override;
    std::vector<LabOption> options() override;
    LabResult run(const LabProgress& progress) override;

  private:
    struct Case {
        int64_t d, depth;
        MlpKind kind;
    };
    struct Errors {
        double linear = 0, trained = 0, turned = 0;
    };
    std::vector<Case> cases() const;
    bool absorbable() const { return structure_ == "absorbable"; }
    /// Nothing where progress says stop.
    std::optional<Errors> measure(const Case& one, const LabProgress& progress) const;
    LabChart& chart_of(int64_t d, LabResult& result) const;
    void add(const Case& one, const Errors& errors, LabResult& result) const;

    std::vector<int64_t> d_ = {32}, depth_ = {1, 2};
    int64_t ratio_ = 4, steps_ = 800, batch_ = 512, seed_ = 1;
    std::string activation_ = "all", structure_ = "random";
    double lr_ = 3e-3;
};

}  // namespace headroom
