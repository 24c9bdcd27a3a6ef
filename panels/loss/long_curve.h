#pragma once

#include <optional>

#include "core/log/series_pyramid.h"
#include "panels/loss/loss_view.h"

namespace headroom {

/// The series of the log that a curve of these settings shows, if it is one that there can be a
/// pyramid of: "train/loss".
std::optional<std::string> pyramid_series(LossKind kind, const LossSettings& settings);

/// Fills points, outlines and, as seen from afar, lines from a pyramid in place of the log.
/// REQUIRES: id, series.run and the like are set; neither a baseline nor groups.
void fill_from_pyramid(LossCurve& curve, const SeriesPyramid& pyramid,
                       const LossSettings& settings);

/// The lines of such a curve as seen from afar, without single points.
void look_from_afar(LossCurve& curve, const LossSettings& settings);

/// Adds all points with an x in `range`, read from the log, if they are so few that the stretches
/// would show.
void look_closely(LossCurve& curve, const SeriesPyramid& pyramid, Range range,
                  const LossSettings& settings);

/// Makes the lines of a curve whose points are all there. Those of a long one are then thinned out,
/// but for what is in `close`, unless `all_points`.
void finish_curve(LossCurve& curve, std::optional<Range> close, bool with_raw, bool all_points);

/// What a closer look should have points of: what is visible and some way to either side.
Range with_margins(Range visible);

}  // namespace headroom
