#pragma once

#include "core/lab/experiment.h"

namespace headroom {

/// What an MLP would have to compute for a change of basis to pass the LayerNorm behind it, and how
/// near a trained one comes: Karbevski & Mijoski 2025 (arXiv:2510.23912), Theorem 8.2, equation 7,
/// Remark 7.
class NormTransfer : public Experiment {
  public:
    std::string name() const override { return "norm-transfer"; }
    std::string title() const override { return "A change of basis through LayerNorm by an MLP"; }
    std::string theorem() const override {
        return "Karbevski & Mijoski 2025, Theorem 8.2, equation 7, Remark 7";
    }
    std::string shows() const override;
    std::vector<LabOption> options() override;
    LabResult run(const LabProgress& progress) override;

  private:
    int64_t d_ = 32, ratio_ = 4, steps_ = 600, batch_ = 512, seed_ = 1;
    std::vector<double> eps_ = {1e-5, 0.1, 1, 10};
    double lr_ = 3e-3;
};

}  // namespace headroom
