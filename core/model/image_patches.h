#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/config/model_config.h"
#include "core/data/batch.h"

namespace headroom {

/// What a model of images reads, as pixels.
struct SquarePicture {
    int64_t side = 0;
    std::vector<uint8_t> pixels;  ///< [side, side, kImageChannels]

    bool operator==(const SquarePicture&) const = default;
};

/// How square pictures lie in a batch's "patches", float32 [batch_size, n_patch, patch_width]: the
/// patches row by row, in each all of its red, then green, then blue, each of these row by row.
class PatchLayout {
  public:
    /// REQUIRES: a batch of square pictures of square patches.
    explicit PatchLayout(const Batch& batch);

    int64_t side() const { return side_; }  ///< pixels of a picture's side
    /// Of a picture.
    int64_t numbers() const { return kImageChannels * side_ * side_; }
    /// Where among a picture's numbers the red of a pixel stands; its green and its blue follow,
    /// each `plane()` numbers on.
    size_t at(int64_t y, int64_t x) const {
        const int64_t cell = y / patch_ * (side_ / patch_) + x / patch_;
        return static_cast<size_t>(cell * kImageChannels * plane() + y % patch_ * patch_ +
                                   x % patch_);
    }
    int64_t plane() const { return patch_ * patch_; }

  private:
    int64_t side_ = 0, patch_ = 0;  ///< pixels
};

/// What a model reads of a byte: -1 to 1.
inline float number_of_pixel(uint8_t pixel) {
    return static_cast<float>(pixel) / 127.5f - 1.0f;
}
/// The byte of which a model read `number`; the nearest one of numbers that no byte becomes.
uint8_t pixel_of_number(float number);

/// The picture of a row of a batch, back as bytes.
SquarePicture picture_in(const Batch& batch, int64_t row);

}  // namespace headroom
