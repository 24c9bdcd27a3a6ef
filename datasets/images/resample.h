#pragma once

#include "datasets/images/pictures.h"

namespace headroom {

/// The picture with other sizes, by a triangle filter whose support grows when it shrinks, so that
/// nothing is skipped: what PIL calls BILINEAR, and PyTorch bilinear with antialias. First along
/// the rows, then along the columns, each rounded to whole numbers.
Picture resample(const Picture& picture, int64_t width, int64_t height);

/// A square of `side` pixels: the shorter side scaled to it, of the longer one the middle.
Picture fit_square(const Picture& picture, int64_t side);

}  // namespace headroom
