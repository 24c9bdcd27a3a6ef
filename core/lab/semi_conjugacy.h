#pragma once

#include "core/lab/experiment.h"

namespace headroom {

/// Carrying a linear map through a norm: both identities of Lemma 8.1, and how nearly linear the
/// map is that does it. Karbevski & Mijoski 2025 (arXiv:2510.23912), section 8.2 and Remarks 5 and
/// 6; second version section 8.3.1.
class SemiConjugacy : public Experiment {
  public:
    std::string name() const override { return "semi-conjugacy"; }
    std::string title() const override { return "Carrying a linear map through a norm"; }
    std::string theorem() const override {
        return "Karbevski & Mijoski 2025, Lemma 8.1, Remarks 5 and 6; second version, section "
               "8.3.1";
    }
    std::string shows() const override;
    std::vector<LabOption> options() override;
    LabResult run(const LabProgress& progress) override;

  private:
    uint64_t seed() const { return static_cast<uint64_t>(seed_) * 1000003; }
    // Two parts into one result. False where progress says stop.
    bool check_identities(LabResult& result, const LabProgress& progress) const;
    bool measure_linearity(LabResult& result, const LabProgress& progress) const;

    std::vector<int64_t> d_ = {8, 64}, widths_ = {16, 32, 64, 128, 256, 512};
    std::vector<double> eps_ = {1e-5, 1};
    int64_t n_matrix_ = 5, n_input_ = 20, seed_ = 1;
};

}  // namespace headroom
