#include "core/train/data_parallel_shard.h"

#include <span>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

DataParallelShard::DataParallelShard(const Job& job, const DataSource& data,
                                     const ProcessGroup& group)
    : job_(job), data_(job, data), group_(group), own_(job) {
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
    const ModelConfig& model = job.model;
    if (model.has_experts() && (model.mlp_balance > 0 || model.mlp_capacity > 0))
        throw UserError(
            fmt::format("{} processes share the rows of a batch, over all of which experts are "
                        "balanced and give out their places",
                        n),
            fmt::format("make train.grad_accum a multiple of {}, or set model.mlp_balance and "
                        "model.mlp_capacity to 0",
                        n));
    own.batch_size /= n;
}

uint64_t DataParallelShard::seed() const {
    const auto seed = static_cast<uint64_t>(job_.seed);
    return seed + static_cast<uint64_t>(group_.rank()) * 0x9E3779B97F4A7C15ULL;
}

bool DataParallelShard::has_mean_over() const {
    return job_.train.is_masked() && own_.train.grad_accum * group_.size() > 1;
}

double DataParallelShard::mean_over(int64_t step) const {
    return static_cast<double>(data_.targets_of_step(step, job_.train)) /
           static_cast<double>(own_.train.grad_accum * group_.size());
}

uint64_t DataParallelShard::step_hash(int64_t step, const Batch& part) const {
    Batch whole = part.with_rows(job_.train.batch_size);
    uint64_t hash = kHashSeed;
    for (int64_t micro = 0; micro < job_.train.grad_accum; ++micro) {
        data_.train_batch(step, micro, whole);
        hash = whole.hash(hash);
    }
    return hash;
}

uint64_t DataParallelShard::evaluation_hash(const Batch& part) const {
    Batch whole = part.with_rows(job_.train.batch_size);
    uint64_t hash = kHashSeed;
    for (int64_t index = 0; index < job_.train.eval_batches; ++index) {
        data_.eval_batch(index, whole);
        hash = whole.hash(hash);
    }
    return hash;
}

void DataParallelShard::check_even(const Batch& whole) const {
    const std::span<const int32_t> targets = whole.targets();
    const size_t part = targets.size() / static_cast<size_t>(group_.size());
    for (size_t p = 1; p < static_cast<size_t>(group_.size()); ++p)
        if (count_valid(targets.subspan(p * part, part)) != count_valid(targets.first(part)))
            throw UserError(
                "the rows of a batch have different numbers of targets, so that parts "
                "of it do not average to the whole",
                fmt::format("make train.grad_accum a multiple of {}", group_.size()));
}

void DataParallelShard::train_batch(int64_t step, int64_t micro, Batch& batch) const {
    if (!by_rows_) {
        data_.train_batch(step, group_.rank() * own_.train.grad_accum + micro, batch);
        return;
    }
    Batch whole = batch.with_rows(job_.train.batch_size);
    data_.train_batch(step, micro, whole);
    if (!has_mean_over()) check_even(whole);
    batch.copy_rows(whole, group_.rank() * batch.batch_size());
}

void DataParallelShard::eval_batch(int64_t index, Batch& batch) const {
    if (!by_rows_) {
        data_.eval_batch(group_.rank() + index * group_.size(), batch);
        return;
    }
    Batch whole = batch.with_rows(job_.train.batch_size);
    data_.eval_batch(index, whole);
    batch.copy_rows(whole, group_.rank() * batch.batch_size());
}

}  // namespace headroom
