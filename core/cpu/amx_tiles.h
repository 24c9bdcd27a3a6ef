#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/bf16.h"

/// 1 where the kernels are compiled for these tiles; clang 14 spells the first name the other way.
#if (defined(__AMX_BF16__) || defined(__AMXBF16__)) && defined(__AVX512BF16__)
#define HEADROOM_AMX 1
#include <immintrin.h>
#else
#define HEADROOM_AMX 0
#endif

// The processor's own tiles (AMX): registers of 16 rows of 64 bytes, and one instruction that adds
// the product of two of them to a third. A left tile holds 16 rows of 32 bfloat16 numbers, a right
// one 16 steps of 16 columns, interleaved in pairs, a tile of sums 16 x 16 float32.

namespace headroom {

inline constexpr bool kAmxBuilt = HEADROOM_AMX != 0;

/// Rows of a tile and, at the same time, columns of a tile of sums; numbers in a row of the left;
/// bytes in a row of any.
inline constexpr int64_t kAmxRows = 16, kAmxDepth = 32, kAmxRowBytes = 64;

/// While it lives, the calling thread's AmxTiles stay as they are for the next ones: to configure
/// and to release tiles takes as long as ten to twenty products of two of them. Nothing without
/// tiles.
class [[maybe_unused]] KeptAmxTiles {
#if HEADROOM_AMX
  public:
    KeptAmxTiles() : outermost_(!kept_) {
        kept_ = true;
    }
    ~KeptAmxTiles() {
        if (!outermost_) return;
        kept_ = false;
        release();
    }
    KeptAmxTiles(const KeptAmxTiles&) = delete;
    KeptAmxTiles& operator=(const KeptAmxTiles&) = delete;

  private:
    friend class AmxTiles;
    static void release() {
        if (upper_ != 0) _tile_release();
        upper_ = lower_ = 0;
    }

    static inline constinit thread_local bool kept_ = false;
    static inline constinit thread_local int64_t upper_ = 0, lower_ = 0;  ///< 0: released
    bool outermost_;
#endif
};

#if HEADROOM_AMX

/// The calling thread's tiles while it lives: tiles of sums and of the left factor have `upper` or
/// `lower` rows, those of the right factor all. One at a time. REQUIRES may_use_amx().
class AmxTiles {
  public:
    AmxTiles(int64_t upper, int64_t lower) {
        if (KeptAmxTiles::upper_ == upper && KeptAmxTiles::lower_ == lower) return;
        KeptAmxTiles::upper_ = upper;
        KeptAmxTiles::lower_ = lower;
        struct alignas(64) {
            uint8_t palette = 1, start_row = 0, reserved[14] = {};
            uint16_t row_bytes[16] = {};
            uint8_t rows[16] = {};
        } config;
        // Sums 0 1 above 2 3, left 4 above 5, right 6 beside 7.
        const int64_t rows[8] = {upper, upper, lower, lower, upper, lower, kAmxRows, kAmxRows};
        for (int i = 0; i < 8; ++i) {
            config.row_bytes[i] = 64;
            config.rows[i] = static_cast<uint8_t>(rows[i]);
        }
        _tile_loadconfig(&config);
    }
    ~AmxTiles() {
        if (!KeptAmxTiles::kept_) KeptAmxTiles::release();
    }
    AmxTiles(const AmxTiles&) = delete;
    AmxTiles& operator=(const AmxTiles&) = delete;
};

/// Lines of memory that are wanted soon, asked for beside the steps of a product: with step l
/// `rows` times `lines` of them that follow each other, from `first` + l `step` on. Distances in
/// bytes.
struct WantedLines {
    const void* first = nullptr;
    int64_t step = 0, stride = 0, rows = 0, lines = 1;

    [[gnu::always_inline]] void fetch(int64_t l) const {
        const auto* row = static_cast<const std::byte*>(first) + l * step;
        for (int64_t r = 0; r < rows; ++r, row += stride)
            for (int64_t line = 0; line < lines; ++line)
                __builtin_prefetch(row + line * kAmxRowBytes, 0, 2);
    }
};

/// What amx_block multiplies. Strides in bytes: of rows of the left factor, of steps of the right
/// one, of rows of the sums. The left factor's next tile begins left_step numbers further on.
struct AmxBlock {
    const bf16* left;
    const bf16* right;
    float* sums;
    int64_t left_stride, right_stride, sums_stride;
    int64_t depth;  ///< tiles
    bool add;
    int64_t left_step = kAmxDepth;
    WantedLines wanted[2] = {};  ///< meanwhile; not by amx_block without kPacked
};

/// What comes between two instructions of tiles: in the slower of the two states that were measured
/// (core/bench/README.md; most likely another thread works on the same core), two of them with
/// fewer than seven others between them hold each other up. A step of amx_block takes 138 cycles
/// there instead of 218, and 59 in the faster state with the gaps and without (Emerald Rapids).
[[gnu::always_inline]] inline void tile_gap() {
    asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
}

/// Asks the processor for a tile that lies in one piece.
[[gnu::always_inline]] inline void fetch_tile(const bf16* tile) {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kAmxRows; ++r) __builtin_prefetch(tile + r * kAmxDepth);
}

/// amx_block, which see; `meanwhile(l)` goes beside step l of the depth.
template <bool kLower, bool kBeside, bool kPacked, class Meanwhile>
[[gnu::always_inline]] inline void multiply_block(const AmxBlock& x, Meanwhile&& meanwhile) {
    asm volatile("" ::: "memory");  // the loads below do not tell the compiler what they read
    float* const beside = x.sums + kAmxRows;
    float* const lower = x.sums + kAmxRows * x.sums_stride / static_cast<int64_t>(sizeof(float));
    float* const corner = lower + kAmxRows;
    _tile_zero(0);
    tile_gap();
    if constexpr (kBeside) _tile_zero(1);
    tile_gap();
    if constexpr (kLower) _tile_zero(2);
    tile_gap();
    if constexpr (kLower && kBeside) _tile_zero(3);
    if (x.add) {
        _tile_loadd(0, x.sums, x.sums_stride);
        tile_gap();
        if constexpr (kBeside) _tile_loadd(1, beside, x.sums_stride);
        tile_gap();
        if constexpr (kLower) _tile_loadd(2, lower, x.sums_stride);
        tile_gap();
        if constexpr (kLower && kBeside) _tile_loadd(3, corner, x.sums_stride);
    }
    constexpr int64_t kPair = 2 * kAmxRows * kAmxDepth;  // numbers of a pair of tiles
    const bf16* left = x.left;
    const bf16* right = x.right;
    const int64_t to_lower = kAmxRows * x.left_stride / static_cast<int64_t>(sizeof(bf16));
    const int64_t to_next = kAmxRows * x.right_stride / static_cast<int64_t>(sizeof(bf16));
    for (int64_t l = 0; l < x.depth; ++l, left += x.left_step, right += to_next) {
        _tile_loadd(6, right, x.right_stride);
        tile_gap();
        _tile_loadd(4, left, x.left_stride);
        tile_gap();
        if constexpr (kBeside) _tile_loadd(7, right + kAmxDepth, x.right_stride);
        tile_gap();
        if constexpr (kLower) _tile_loadd(5, left + to_lower, x.left_stride);
        tile_gap();
        _tile_dpbf16ps(0, 4, 6);
        if constexpr (kPacked)
            fetch_tile(right + 2 * kPair);
        else
            tile_gap();
        if constexpr (kBeside) _tile_dpbf16ps(1, 4, 7);
        tile_gap();
        if constexpr (kLower) _tile_dpbf16ps(2, 5, 6);
        if constexpr (kPacked)
            fetch_tile(right + 2 * kPair + kPair / 2);
        else
            tile_gap();
        if constexpr (kLower && kBeside) _tile_dpbf16ps(3, 5, 7);
        tile_gap();
        meanwhile(l);
    }
    _tile_stored(0, x.sums, x.sums_stride);
    tile_gap();
    if constexpr (kBeside) _tile_stored(1, beside, x.sums_stride);
    tile_gap();
    if constexpr (kLower) _tile_stored(2, lower, x.sums_stride);
    tile_gap();
    if constexpr (kLower && kBeside) _tile_stored(3, corner, x.sums_stride);
}

/// Up to two by two tiles of sums: sums = left right, or sums += it. With kPacked the pairs of
/// tiles of the right factor lie one after the other, and the one two further on is fetched: a load
/// of a tile waits for its rows, and the processor foresees them too late. So is x.wanted.
template <bool kLower, bool kBeside, bool kPacked = false>
[[gnu::noinline]] void amx_block(const AmxBlock& x) {
    // Inlined in any case: GCC leaves out calls of what does nothing but ask for lines.
    multiply_block<kLower, kBeside, kPacked>(
        x, [&](int64_t l) __attribute__((always_inline)) {
            if constexpr (kPacked)
                for (const WantedLines& lines : x.wanted) lines.fetch(l);
        });
}

/// sums [rows, columns] = left right, or += it, for up to two tiles of rows and whole tiles of
/// columns.
inline void amx_rows(AmxBlock block, int64_t rows, int64_t columns) {
    const int64_t upper = std::min(rows, kAmxRows), lower = rows - upper;
    const AmxTiles tiles(upper, std::max<int64_t>(lower, 1));
    for (int64_t j = 0; j < columns; j += 2 * kAmxRows) {
        const bool beside = j + kAmxRows < columns;
        if (lower > 0)
            beside ? amx_block<true, true>(block) : amx_block<true, false>(block);
        else
            beside ? amx_block<false, true>(block) : amx_block<false, false>(block);
        block.right += 2 * kAmxDepth;
        block.sums += 2 * kAmxRows;
    }
}

#endif

}  // namespace headroom
