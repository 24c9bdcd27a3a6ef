#pragma once

#include "core/graph/op.h"

namespace headroom {

/// Keeps what a pass projected: the first n_head heads of row t of x go to place
/// StepContext::position + t of the cache, rows without a token nowhere.
/// x (batch_size, rows, columns >= n_head width) -> cache (batch_size, n_head, capacity, width),
/// updated in place: a head's positions lie one after the other.
class CacheAppend : public Op {
  public:
    CacheAppend(int64_t n_head, int64_t width, int64_t capacity)
        : n_head_(n_head), width_(width), capacity_(capacity) {}

    std::string_view name() const override { return "cache_append"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;

    int64_t n_head() const { return n_head_; }
    int64_t width() const { return width_; }
    int64_t capacity() const { return capacity_; }

  private:
    int64_t n_head_, width_, capacity_;
};

/// The last row that holds a token: x (batch_size, rows, d) -> (batch_size, 1, d).
class LastRow : public Op {
  public:
    std::string_view name() const override { return "last_row"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
};

}  // namespace headroom
