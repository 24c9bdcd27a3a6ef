#pragma once

#include "panels/loss/loss_view.h"

namespace headroom {

/// Fills view.figure, x_all and y_all from view.curves: axes, series, bands, rules (after those
/// that are there) and footnote. `baseline_name` is "" for absolute losses.
void fill_loss_figure(LossView& view, const LossSettings& settings,
                      const std::string& baseline_name);

/// Whether the curve's raw line is drawn behind its smoothed one.
bool shows_raw(const LossCurve& curve, const LossSettings& settings);

/// Ids of the legend's keys for the two kinds.
inline constexpr const char* kTrainKey = "kind/train";
inline constexpr const char* kValKey = "kind/val";

/// "baseline", or "baseline train" where both kinds are shown.
std::string series_name(const LossCurve& curve, const LossSettings& settings);

}  // namespace headroom
