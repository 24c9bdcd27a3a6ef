#pragma once

#include "core/lab/experiment.h"

namespace headroom {

/// Can an MLP with a skip take up a change of basis around another one? Karbevski & Mijoski 2025
/// (arXiv:2510.23912), section 8.3, equations 10 and 11, figure 2.
class BasisTransfer : public Experiment {
  public:
    std::string name() const override { return "basis-transfer"; }
    std::string title() const override { return "A change of basis through an MLP with a skip"; }
    std::string theorem() const override {
        return "Karbevski & Mijoski 2025, section 8.3, equations 10 and 11";
    }
    std::string shows() const override;
    std::vector<LabOption> options() override;
    LabResult run(const LabProgress& progress) override;

  private:
    std::vector<int64_t> h_ = {256};
    std::string target_ = "plain", optimizer_ = "muon";
    int64_t steps_ = 5000, batch_ = 1024, linear_samples_ = 200000, seed_ = 1;
    double lr_ = 0.06, weight_decay_ = 0, grad_clip_ = 3.0, momentum_ = 0.98, ridge_ = 1e-6;
};

}  // namespace headroom
