#pragma once

#include <cstdint>
#include <span>

namespace headroom::cuda {

/// How one tensor core kernel of attention cuts its work. A block holds `rows()` rows, 16
/// `row_tiles` a warp, and streams past them tiles of `streamed` rows, two in shared memory at a
/// time. Heads are filled up with zeros to the widths.
struct TileShape {
    int key_width;    ///< of queries and keys, a multiple of 16
    int value_width;  ///< of values and outputs, a multiple of 16
    int row_tiles, warps;
    int streamed;

    constexpr int rows() const { return 16 * row_tiles * warps; }
    constexpr int threads() const { return 32 * warps; }
};

/// Bytes from one row of a tile in shared memory to the next: 16 more than it holds, so that the
/// eight rows of a matrix that a warp loads lie in different banks for any width.
constexpr int row_stride(int width) {
    return 2 * width + 16;
}

/// Queries held, keys and values streamed.
inline constexpr TileShape kForwardShapes[] = {
    {64, 64, 2, 4, 64}, {80, 80, 2, 4, 64},   {96, 64, 2, 4, 64},
    {96, 96, 2, 4, 64}, {128, 128, 2, 4, 32}, {192, 128, 2, 4, 32},
};
constexpr int64_t forward_shared_bytes(const TileShape& s) {
    const int of_keys = row_stride(s.key_width), of_values = row_stride(s.value_width);
    return s.rows() * of_keys + 2 * s.streamed * (of_keys + of_values);
}

/// Keys and values held, queries and gradients of outputs streamed, with a float32 lse and dot
/// for each.
inline constexpr TileShape kKeyGradientShapes[] = {
    {64, 64, 2, 4, 32},   {80, 80, 1, 8, 64},   {96, 64, 1, 8, 64},   {96, 96, 1, 8, 64},
    {128, 128, 1, 8, 48}, {128, 128, 1, 4, 32}, {192, 128, 1, 4, 32},
};
constexpr int64_t key_gradient_shared_bytes(const TileShape& s) {
    const int of_both = row_stride(s.key_width) + row_stride(s.value_width);
    return s.rows() * of_both + 2 * s.streamed * (of_both + 8);
}

/// Queries and gradients of outputs held, keys and values streamed.
inline constexpr TileShape kQueryGradientShapes[] = {
    {64, 64, 2, 4, 48},   {80, 80, 2, 4, 32},   {96, 64, 2, 4, 32},   {96, 96, 2, 4, 32},
    {128, 128, 2, 4, 32}, {128, 128, 1, 4, 32}, {192, 128, 1, 4, 32},
};
constexpr int64_t query_gradient_shared_bytes(const TileShape& s) {
    const int of_both = row_stride(s.key_width) + row_stride(s.value_width);
    return s.rows() * of_both + 2 * s.streamed * of_both;
}

/// The first shape that is wide enough and needs at most so much shared memory; -1: none is.
int choose_shape(std::span<const TileShape> shapes, int64_t (*shared_bytes)(const TileShape&),
                 int64_t d_head, int64_t d_value, int64_t shared_limit);

/// Which kernels attend to heads of these widths.
struct TileChoice {
    int forward, key_gradient, query_gradient;
};
/// False: heads are too wide, or a block may have too little shared memory; `choice` is garbage.
bool choose_tiles(int64_t d_head, int64_t d_value, int64_t shared_limit, TileChoice& choice);

}  // namespace headroom::cuda
