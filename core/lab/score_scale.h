#pragma once

#include "core/lab/experiment.h"

namespace headroom {

/// How large attention's raw scores are before training, with a query projection and without:
/// Karbevski & Mijoski 2025 (arXiv:2510.23912), section 8.1.
class ScoreScale : public Experiment {
  public:
    std::string name() const override { return "score-scale"; }
    std::string title() const override { return "Attention scores at initialisation"; }
    std::string theorem() const override { return "Karbevski & Mijoski 2025, section 8.1"; }
    std::string shows() const override;
    std::vector<LabOption> options() override;
    LabResult run(const LabProgress& progress) override;

  private:
    struct Draws;
    /// As many as a sharp answer needs, at most --draws; fewer where progress says stop.
    Draws draw(bool unit, const LabProgress& progress, bool& stopped) const;
    void report(const Draws& draws, bool unit, LabResult& result) const;

    int64_t d_model_ = 768, n_head_ = 12, n_rows_ = 300, draws_ = 5000, seed_ = 1;
    double sigma_ = 0.02;
};

}  // namespace headroom
