#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "datasets/images/pictures.h"

namespace headroom {

/// What is wrong with a picture, to be said after its name: "is damaged: ...".
class PictureError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Throws PictureError for more pixels than anybody may ask for, or than `bytes` can hold.
void require_pixels(int64_t width, int64_t height, int64_t most_per_byte, size_t bytes);

/// A PNG by libpng, its colours as three bytes: grey and palettes are spread out, what is
/// transparent is taken as if it were not. PictureError for what is none, is cut short or damaged.
bool is_png(std::string_view bytes);
Picture read_png(std::string_view bytes);

/// A JPEG by libjpeg, as above; of four colours (CMYK as Adobe writes it) too.
bool is_jpeg(std::string_view bytes);
Picture read_jpeg(std::string_view bytes);

}  // namespace headroom
