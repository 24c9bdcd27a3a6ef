#include "core/train/work_share.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"

namespace headroom {

WorkShare::WorkShare(const Job& job, const BatchSource& data, const ProcessGroup& group)
    : job_(job), data_(data), group_(group), own_(job) {
    TrainConfig& own = own_.train;
    const int64_t n = group.size(), rank = group.rank();
    by_rows_ = own.grad_accum % n != 0;
    if (!by_rows_) {
        own.grad_accum /= n;
        own.eval_batches = (own.eval_batches - rank + n - 1) / n;
        return;
    }
    if (own.batch_size % n != 0)
        throw UserError(
            fmt::format("{} processes cannot share steps of train.grad_accum {} times "
                        "train.batch_size {}",
                        n, own.grad_accum, own.batch_size),
            fmt::format("make one of them a multiple of {}, or start another number of processes",
                        n));
    own.batch_size /= n;
}

uint64_t WorkShare::seed() const {
    const auto seed = static_cast<uint64_t>(job_.seed);
    return seed + static_cast<uint64_t>(group_.rank()) * 0x9E3779B97F4A7C15ULL;
}

WorkShare::WholeBatch WorkShare::whole_batch() const {
    const auto tokens = static_cast<size_t>(job_.train.batch_size * job_.train.seq_len);
    return {std::vector<int32_t>(tokens), std::vector<int32_t>(tokens)};
}

uint64_t WorkShare::step_hash(int64_t step) const {
    WholeBatch whole = whole_batch();
    uint64_t hash = kHashSeed;
    for (int64_t micro = 0; micro < job_.train.grad_accum; ++micro) {
        data_.train_batch(step, micro, job_.train.batch_size, job_.train.seq_len, whole.inputs,
                          whole.targets);
        hash = hash_tokens(whole.inputs, whole.targets, hash);
    }
    return hash;
}

void WorkShare::copy_rows(const WholeBatch& whole, std::span<int32_t> inputs,
                          std::span<int32_t> targets) const {
    const auto first = static_cast<size_t>(group_.rank()) * inputs.size();
    std::copy_n(whole.inputs.begin() + static_cast<std::ptrdiff_t>(first), inputs.size(),
                inputs.begin());
    std::copy_n(whole.targets.begin() + static_cast<std::ptrdiff_t>(first), targets.size(),
                targets.begin());
}

void WorkShare::check_even(const WholeBatch& whole) const {
    const size_t part = whole.targets.size() / static_cast<size_t>(group_.size());
    const auto ignored_in = [&](size_t p) {
        const auto begin = whole.targets.begin() + static_cast<std::ptrdiff_t>(p * part);
        return std::count(begin, begin + static_cast<std::ptrdiff_t>(part), kIgnoredTarget);
    };
    for (size_t p = 1; p < static_cast<size_t>(group_.size()); ++p)
        if (ignored_in(p) != ignored_in(0))
            throw UserError(
                "the rows of a batch have different numbers of targets, so that parts "
                "of it do not average to the whole",
                fmt::format("make train.grad_accum a multiple of {}", group_.size()));
}

void WorkShare::train_batch(int64_t step, int64_t micro, int64_t batch_size, int64_t seq_len,
                            std::span<int32_t> inputs, std::span<int32_t> targets) const {
    if (!by_rows_) {
        data_.train_batch(step, group_.rank() * own_.train.grad_accum + micro, batch_size, seq_len,
                          inputs, targets);
        return;
    }
    WholeBatch whole = whole_batch();
    data_.train_batch(step, micro, job_.train.batch_size, seq_len, whole.inputs, whole.targets);
    check_even(whole);
    copy_rows(whole, inputs, targets);
}

void WorkShare::eval_batch(int64_t index, int64_t batch_size, int64_t seq_len,
                           std::span<int32_t> inputs, std::span<int32_t> targets) const {
    if (!by_rows_) {
        data_.eval_batch(group_.rank() + index * group_.size(), batch_size, seq_len, inputs,
                         targets);
        return;
    }
    WholeBatch whole = whole_batch();
    data_.eval_batch(index, job_.train.batch_size, seq_len, whole.inputs, whole.targets);
    copy_rows(whole, inputs, targets);
}

}  // namespace headroom
