#pragma once

#include <filesystem>

#include "datasets/images/pictures.h"

namespace headroom {

/// Whether the name is that of a PNG or JPEG file: .png, .jpg or .jpeg, in capitals too.
bool is_picture_name(const std::filesystem::path& path);

/// A PNG or JPEG file, by libpng and libjpeg, so that its pixels are those that Pillow and
/// torchvision read. Grey ones have three equal colours, what is
/// transparent is taken as if it were not. UserError naming the file for one that is no such file,
/// or larger than 64 MiB or 64 million pixels, which is looked at before it is decoded.
Picture decode_picture(const std::filesystem::path& path);

}  // namespace headroom
