#include "cuda/attention/tile_shapes.h"

namespace headroom::cuda {

int choose_shape(std::span<const TileShape> shapes, int64_t (*shared_bytes)(const TileShape&),
                 int64_t d_head, int64_t d_value, int64_t shared_limit) {
    for (size_t n = 0; n < shapes.size(); ++n)
        if (shapes[n].key_width >= d_head && shapes[n].value_width >= d_value &&
            shared_bytes(shapes[n]) <= shared_limit)
            return static_cast<int>(n);
    return -1;
}

bool choose_tiles(int64_t d_head, int64_t d_value, int64_t shared_limit, TileChoice& choice) {
    const auto choose = [&](auto& shapes, int64_t (*bytes)(const TileShape&)) {
        return choose_shape(shapes, bytes, d_head, d_value, shared_limit);
    };
    choice = {choose(kForwardShapes, forward_shared_bytes),
              choose(kKeyGradientShapes, key_gradient_shared_bytes),
              choose(kQueryGradientShapes, query_gradient_shared_bytes)};
    return choice.forward >= 0 && choice.key_gradient >= 0 && choice.query_gradient >= 0;
}

}  // namespace headroom::cuda
