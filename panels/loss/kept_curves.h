#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "panels/loss/loss_view.h"

namespace headroom {

/// What decides, beside a run's own log, how the curve of one run looks. Neither a baseline nor
/// groups: those make a curve of several runs.
struct CurveMaking {
    std::string metric;
    LossX x = LossX::kTokens;
    double smoothing = 0;
    bool smooth_val = false;
    bool raw_behind = false;

    bool operator==(const CurveMaking&) const = default;
};

/// Finished curves of the view before, so that what follows a few growing runs among many that are
/// done makes only the curves of the few anew. One thread.
class KeptCurves {
  public:
    /// Forgets all that was made otherwise. `close` is what is looked at closely.
    void begin(const CurveMaking& making, std::optional<Range> close);
    struct Found {
        const LossCurve* curve = nullptr;
        bool looks_elsewhere = false;  ///< its points are of another closer look
    };
    /// The curve of this run as it was finished last; null where its log has moved on since. Its
    /// name and colours are those of that time.
    Found find(const RunPointer& run, LossKind kind);
    /// Whether there is a curve with points of this run, if only as its log was.
    bool has(const Run& run, LossKind kind) const;
    void keep(LossCurve curve);
    /// Forgets what nobody asked for since begin().
    void settle();

  private:
    struct Kept {
        LossCurve curve;
        std::optional<Range> close;
        bool used = true;
    };

    CurveMaking making_;
    std::optional<Range> close_;
    std::map<std::pair<std::string, LossKind>, Kept> kept_;  ///< by run folder
};

}  // namespace headroom
