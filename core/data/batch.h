#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/tensor.h"

namespace headroom {

/// A target that the loss leaves out.
inline constexpr int32_t kIgnoredTarget = -1;

/// A tensor of a batch. Its outermost size is batch_size: a row for each example.
struct BatchTensor {
    std::string name;
    TensorType type;

    bool operator==(const BatchTensor&) const = default;
};

/// What a model is fed at a time: named tensors of batch_size rows each. The inputs of a graph that
/// read them have the same names and types. Of text they are "tokens" and "targets", int32
/// [batch_size, seq_len]; of images "patches" and one target each. Targets may be kIgnoredTarget.
class Batch {
  public:
    Batch() = default;
    /// All zero. REQUIRES: equal outermost sizes, different names.
    explicit Batch(const std::vector<BatchTensor>& tensors);
    /// "tokens" and "targets".
    static Batch of_tokens(int64_t batch_size, int64_t seq_len);
    /// "patches", float32 [batch_size, n_patch, patch_width], and "targets", int32 [batch_size].
    static Batch of_images(int64_t batch_size, int64_t n_patch, int64_t patch_width);
    /// The same tensors with another number of rows, all zero.
    Batch with_rows(int64_t batch_size) const;

    int64_t batch_size() const;
    /// Of the tokens.
    int64_t seq_len() const;

    size_t size() const { return tensors_.size(); }
    const BatchTensor& tensor(size_t i) const { return tensors_[i].what; }
    /// Null where there is none of that name.
    const BatchTensor* find(std::string_view name) const;
    std::span<const std::byte> bytes(std::string_view name) const;
    std::span<std::byte> bytes(std::string_view name);

    // Not of a batch that is about to go.
    std::span<int32_t> tokens() & { return ids("tokens"); }
    std::span<int32_t> targets() & { return ids("targets"); }
    std::span<const int32_t> tokens() const& { return ids("tokens"); }
    std::span<const int32_t> targets() const& { return ids("targets"); }
    std::span<int32_t> tokens() && = delete;
    std::span<int32_t> targets() && = delete;

    /// Takes over the rows `first` to `first` + batch_size() of a larger batch of the same tensors.
    void copy_rows(const Batch& from, int64_t first);

    /// FNV-1a over the bytes of all tensors in their order, continued from `seed`. Chained over the
    /// micro-batches of a step, equal values prove equal batches.
    uint64_t hash(uint64_t seed = kHashSeed) const;

    bool operator==(const Batch&) const = default;

  private:
    struct Stored {
        BatchTensor what;
        std::vector<std::byte> bytes;
        bool operator==(const Stored&) const = default;
    };
    const Stored& stored(std::string_view name) const;
    std::span<int32_t> ids(std::string_view name);
    std::span<const int32_t> ids(std::string_view name) const;

    std::vector<Stored> tensors_;
};

/// Sequences of seq_len tokens, one after the other, each token's target the next one; the last of
/// a sequence has none. REQUIRES: whole sequences.
Batch next_token_batch(std::span<const int32_t> tokens, int64_t seq_len);

/// Targets that count.
int64_t count_valid(std::span<const int32_t> targets);

}  // namespace headroom
