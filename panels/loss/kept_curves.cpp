#include "panels/loss/kept_curves.h"

namespace headroom {

void KeptCurves::begin(const CurveMaking& making, std::optional<Range> close) {
    if (!(making == making_)) kept_.clear();
    making_ = making;
    close_ = close;
    for (auto& [key, kept] : kept_) kept.used = false;
}

KeptCurves::Found KeptCurves::find(const RunPointer& run, LossKind kind) {
    const auto found = kept_.find({run->folder.string(), kind});
    if (found == kept_.end()) return {};
    Kept& kept = found->second;
    const Run& before = *kept.curve.series.run;
    if (before.series != run->series || before.started_unix != run->started_unix) return {};
    kept.used = true;
    return {&kept.curve, kept.close != close_};
}

bool KeptCurves::has(const Run& run, LossKind kind) const {
    const auto found = kept_.find({run.folder.string(), kind});
    return found != kept_.end() && found->second.curve.points > 0;
}

void KeptCurves::keep(LossCurve curve) {
    const std::pair<std::string, LossKind> key{curve.series.run->folder.string(), curve.kind};
    kept_.insert_or_assign(key, Kept{std::move(curve), close_});
}

void KeptCurves::settle() {
    std::erase_if(kept_, [](const auto& entry) { return !entry.second.used; });
}

}  // namespace headroom
