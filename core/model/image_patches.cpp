#include "core/model/image_patches.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace headroom {

PatchLayout::PatchLayout(const Batch& batch) {
    const BatchTensor* tensor = batch.find("patches");
    CHECK(tensor != nullptr && tensor->type.shape.size() == 3, "a batch of pictures");
    const int64_t n_patch = tensor->type.shape[1], width = tensor->type.shape[2];
    const auto root = [](int64_t square) { return std::llround(std::sqrt(square)); };
    patch_ = root(width / kImageChannels);
    side_ = patch_ * root(n_patch);
    CHECK(patch_ * patch_ * kImageChannels == width && side_ * side_ == n_patch * patch_ * patch_,
          "square pictures of square patches");
}

uint8_t pixel_of_number(float number) {
    const float byte = std::round((number + 1.0f) * 127.5f);
    return static_cast<uint8_t>(std::clamp(byte, 0.0f, 255.0f));
}

SquarePicture picture_in(const Batch& batch, int64_t row) {
    const PatchLayout layout(batch);
    CHECK(row >= 0 && row < batch.batch_size(), "a row that there is");
    const float* numbers =
        reinterpret_cast<const float*>(batch.bytes("patches").data()) + row * layout.numbers();
    SquarePicture picture{layout.side(), {}};
    picture.pixels.reserve(static_cast<size_t>(layout.numbers()));
    for (int64_t y = 0; y < layout.side(); ++y)
        for (int64_t x = 0; x < layout.side(); ++x)
            for (int64_t c = 0; c < kImageChannels; ++c)
                picture.pixels.push_back(pixel_of_number(
                    numbers[layout.at(y, x) + static_cast<size_t>(c * layout.plane())]));
    return picture;
}

}  // namespace headroom
