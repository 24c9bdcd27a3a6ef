#include "core/data/batch.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace headroom {

Batch::Batch(const std::vector<BatchTensor>& tensors) {
    for (const BatchTensor& tensor : tensors) {
        CHECK(find(tensor.name) == nullptr, "two tensors of a batch are called " + tensor.name);
        tensors_.push_back(
            {tensor, std::vector<std::byte>(static_cast<size_t>(tensor.type.bytes()))});
        CHECK(tensor.type.shape[0] == batch_size(), "tensors of a batch have as many rows");
    }
}

Batch Batch::of_tokens(int64_t batch_size, int64_t seq_len) {
    CHECK(batch_size > 0 && seq_len > 0, "batch shape");
    const TensorType ids{DType::kI32, {batch_size, seq_len}};
    return Batch({{"tokens", ids}, {"targets", ids}});
}

Batch Batch::of_images(int64_t batch_size, int64_t n_patch, int64_t patch_width) {
    CHECK(batch_size > 0 && n_patch > 0 && patch_width > 0, "batch shape");
    return Batch({{"patches", {DType::kF32, {batch_size, n_patch, patch_width}}},
                  {"targets", {DType::kI32, {batch_size}}}});
}

Batch Batch::with_rows(int64_t batch_size) const {
    std::vector<BatchTensor> tensors;
    for (const Stored& stored : tensors_) {
        tensors.push_back(stored.what);
        tensors.back().type.shape[0] = batch_size;
    }
    return Batch(tensors);
}

int64_t Batch::batch_size() const {
    return tensors_.empty() ? 0 : tensors_.front().what.type.shape[0];
}

int64_t Batch::seq_len() const {
    return stored("tokens").what.type.columns();
}

const BatchTensor* Batch::find(std::string_view name) const {
    const auto it = std::find_if(tensors_.begin(), tensors_.end(),
                                 [&](const Stored& stored) { return stored.what.name == name; });
    return it == tensors_.end() ? nullptr : &it->what;
}

const Batch::Stored& Batch::stored(std::string_view name) const {
    for (const Stored& stored : tensors_)
        if (stored.what.name == name) return stored;
    CHECK(false, "a batch has no " + std::string(name));
}

std::span<const std::byte> Batch::bytes(std::string_view name) const {
    return stored(name).bytes;
}

std::span<std::byte> Batch::bytes(std::string_view name) {
    return const_cast<Stored&>(stored(name)).bytes;
}

std::span<const int32_t> Batch::ids(std::string_view name) const {
    const Stored& found = stored(name);
    CHECK(found.what.type.dtype == DType::kI32, "ids are int32");
    return {reinterpret_cast<const int32_t*>(found.bytes.data()),
            static_cast<size_t>(found.what.type.count())};
}

std::span<int32_t> Batch::ids(std::string_view name) {
    const std::span<const int32_t> found = std::as_const(*this).ids(name);
    return {const_cast<int32_t*>(found.data()), found.size()};
}

void Batch::copy_rows(const Batch& from, int64_t first) {
    CHECK(first >= 0 && first + batch_size() <= from.batch_size(), "rows that there are");
    for (Stored& stored : tensors_) {
        const std::span<const std::byte> rows = from.bytes(stored.what.name);
        const size_t row = stored.bytes.size() / static_cast<size_t>(batch_size());
        CHECK(row * static_cast<size_t>(from.batch_size()) == rows.size(), "rows of equal size");
        const auto part = rows.subspan(static_cast<size_t>(first) * row, stored.bytes.size());
        std::copy(part.begin(), part.end(), stored.bytes.begin());
    }
}

uint64_t Batch::hash(uint64_t seed) const {
    for (const Stored& stored : tensors_)
        seed = hash_bytes(
            {reinterpret_cast<const unsigned char*>(stored.bytes.data()), stored.bytes.size()},
            seed);
    return seed;
}

Batch next_token_batch(std::span<const int32_t> tokens, int64_t seq_len) {
    const auto length = static_cast<size_t>(seq_len);
    CHECK(seq_len > 0 && !tokens.empty() && tokens.size() % length == 0, "whole sequences");
    Batch batch = Batch::of_tokens(static_cast<int64_t>(tokens.size() / length), seq_len);
    std::copy(tokens.begin(), tokens.end(), batch.tokens().begin());
    const std::span<int32_t> targets = batch.targets();
    std::copy(tokens.begin() + 1, tokens.end(), targets.begin());
    for (size_t last = length - 1; last < targets.size(); last += length)
        targets[last] = kIgnoredTarget;
    return batch;
}

int64_t count_valid(std::span<const int32_t> targets) {
    return std::count_if(targets.begin(), targets.end(),
                         [](int32_t target) { return target != kIgnoredTarget; });
}

}  // namespace headroom
