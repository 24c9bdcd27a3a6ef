#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/ops/attention.h"
#include "cuda/device/device_memory.h"

namespace headroom::cuda {

/// Where a head lies: row t of sequence b begins at data + (b seq_len + t) columns. Heads that
/// layers share are read in place, never copied.
struct HeadAt {
    const void* data = nullptr;  ///< null: a value that is zero
    int64_t columns = 0;
};

/// Widest head that the kernels hold in registers.
inline constexpr int64_t kMaxHeadWidth = 1024;

/// The head of columns [head width, (head + 1) width) of a tensor.
inline HeadAt head_at(const Tensor& tensor, int64_t head, int64_t width) {
    const auto size = static_cast<int64_t>(size_of(tensor.type.dtype));
    return {tensor.as<const std::byte>() + head * width * size, tensor.columns()};
}

/// The largest power of two, at most 16, that every row of the heads is aligned to, in bytes, where
/// numbers have so many.
inline int row_alignment(std::span<const HeadAt> heads, size_t number_bytes) {
    uintptr_t bits = 16;
    for (const HeadAt& head : heads)
        bits |= reinterpret_cast<uintptr_t>(head.data) |
                static_cast<uintptr_t>(head.columns) * number_bytes;
    return static_cast<int>(bits & (~bits + 1));
}

/// Queries, keys and values of every query head, on the device.
struct AttentionHeads {
    DeviceTable<HeadAt> queries, keys, values;
    int alignment;  ///< of every row, see row_alignment

    AttentionHeads(const AttentionOptions& o, std::span<const Tensor> inputs)
        : queries(list(o, inputs, 0)), keys(list(o, inputs, 1)), values(list(o, inputs, 2)) {
        CHECK(o.d_head <= kMaxHeadWidth && o.value_width() <= kMaxHeadWidth,
              "heads of at most 1024 columns");
        std::vector<HeadAt> all;
        for (const int what : {0, 1, 2})
            for (const HeadAt& head : list(o, inputs, what)) all.push_back(head);
        alignment = row_alignment(all, size_of(inputs[0].type.dtype));
    }

  private:
    static std::vector<HeadAt> list(const AttentionOptions& o, std::span<const Tensor> inputs,
                                    int what) {
        std::vector<HeadAt> heads;
        for (int64_t h = 0; h < o.n_head; ++h) {
            const auto group = static_cast<size_t>(o.kv_head_of(h));
            HeadRef ref{0, static_cast<int>(h)};
            if (what == 1) ref = o.key_heads[group];
            if (what == 2) ref = o.value_heads[group];
            const int64_t width = what == 2 ? o.value_width() : o.d_head;
            heads.push_back(ref.input < 0
                                ? HeadAt{}
                                : head_at(inputs[static_cast<size_t>(ref.input)], ref.head, width));
        }
        return heads;
    }
};

}  // namespace headroom::cuda
