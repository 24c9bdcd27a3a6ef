#include "core/data/random_tokens.h"

#include "core/base/philox.h"

namespace headroom {
namespace {

void fill(int64_t vocab_size, uint32_t step, uint32_t stream, std::span<int32_t> tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
        const uint32_t word = Philox::block({static_cast<uint32_t>(i), step, stream, 0}, 0, 0)[0];
        tokens[i] = static_cast<int32_t>(word % static_cast<uint64_t>(vocab_size));
    }
}

void fill_numbers(uint32_t step, uint32_t stream, std::span<std::byte> bytes) {
    const std::span numbers(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float));
    for (size_t i = 0; i < numbers.size(); ++i) {
        const uint32_t word = Philox::block({static_cast<uint32_t>(i), step, stream, 1}, 0, 0)[0];
        numbers[i] = static_cast<float>(static_cast<double>(word) / 2147483648.0 - 1.0);
    }
}

}  // namespace

void RandomTokens::train_batch(int64_t step, int64_t micro, Batch& batch) const {
    const auto row = static_cast<uint32_t>(step), stream = static_cast<uint32_t>(micro);
    if (batch.find("patches") != nullptr)
        fill_numbers(row, stream, batch.bytes("patches"));
    else
        fill(info_.vocab_size, row, stream, batch.tokens());
    fill(info_.vocab_size, row, stream + 1, batch.targets());
}

void RandomTokens::eval_batch(int64_t index, Batch& batch) const {
    train_batch(index, 0, batch);
}

}  // namespace headroom
