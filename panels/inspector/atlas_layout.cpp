#include "panels/inspector/atlas_layout.h"

#include <algorithm>
#include <cmath>

namespace headroom {

AtlasLayout::AtlasLayout(const PixelBox& box, int n_layer, int n_head, double margin)
    : n_layer_(n_layer), n_head_(n_head), x_(box.x + margin), y_(box.y + margin) {
    constexpr double kLargest = 120, kLeast = 3;
    const double fits = std::min((box.width - margin) / n_head, (box.height - margin) / n_layer);
    pitch_ = std::clamp(std::floor(fits), kLeast, kLargest);
    gap_ = pitch_ >= 24 ? 4 : pitch_ >= 10 ? 2 : 1;
}

PixelBox AtlasLayout::cell(HeadId place) const {
    return {x_ + place.head * pitch_, y_ + place.layer * pitch_, side(), side()};
}

PixelBox AtlasLayout::grid() const {
    return {x_, y_, n_head_ * pitch_ - gap_, n_layer_ * pitch_ - gap_};
}

std::optional<HeadId> AtlasLayout::head_at(double x, double y) const {
    const HeadId place{static_cast<int>(std::floor((y - y_) / pitch_)),
                       static_cast<int>(std::floor((x - x_) / pitch_))};
    if (place.layer < 0 || place.head < 0 || place.layer >= n_layer_ || place.head >= n_head_)
        return std::nullopt;
    return place;
}

int AtlasLayout::label_every(double label_size) const {
    int every = 1;
    for (const int step : {1, 2, 5, 10, 20, 50, 100}) {
        every = step;
        if (step * pitch_ >= label_size) break;
    }
    return every;
}

HeadId stepped(HeadId place, int layers, int heads, int n_layer, int n_head) {
    return {std::clamp(place.layer + layers, 0, std::max(0, n_layer - 1)),
            std::clamp(place.head + heads, 0, std::max(0, n_head - 1))};
}

}  // namespace headroom
