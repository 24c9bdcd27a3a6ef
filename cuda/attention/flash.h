#pragma once

#include <optional>
#include <vector>

#include "cuda/attention/head_table.h"
#include "cuda/attention/kernels.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// The kernels for heads of one type and width.
struct FlashKernels {
    void (*forward)(cudaStream_t, const FlashForward&);
    void (*key_gradients)(cudaStream_t, const FlashBackward&, const KeyItem*, int count);
    void (*query_gradients)(cudaStream_t, const FlashBackward&, const HeadGradient*);
};

/// Tiled kernels for heads of this type and these widths on the device at hand: on tensor cores
/// for bfloat16, without them for float32. None for other types, wider heads than the tiles, and
/// scales that are not positive.
std::optional<FlashKernels> flash_kernels(const AttentionOptions& o, DType dtype);

/// Attention::run on the device.
void flash_forward(const Call& call, const AttentionOptions& o, const AttentionHeads& heads,
                   const FlashKernels& kernels);

/// Tables of the backward pass, made at a node's first call.
class FlashBackwardTables {
  public:
    /// `targets`: the inputs whose gradients are call.outputs.
    FlashBackwardTables(const Call& call, const AttentionOptions& o,
                        const std::vector<size_t>& targets);

    /// AttentionBackward::run on the device. `dots`: scratch, a float for each of lse.
    void run(const Call& call, const AttentionOptions& o, const AttentionHeads& heads,
             const FlashKernels& kernels, float* dots) const;

  private:
    struct Round {
        DeviceTable<KeyItem> items;
        int count;
    };
    struct Zero {
        HeadGradient head;
        int width;
    };
    std::vector<Round> rounds_;
    std::optional<DeviceTable<int>> readers_;
    std::optional<DeviceTable<HeadGradient>> queries_;
    std::vector<Zero> zeros_;
};

}  // namespace headroom::cuda
