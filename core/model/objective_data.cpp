#include "core/model/objective_data.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

void resolve_vocab_size(Job& job, const DataSource& data) {
    const bool images = job.model.reads_images();
    if (images != data.info().images)
        throw UserError(fmt::format("the model reads {}, but the data are {}",
                                    images ? "images" : "tokens", data.info().description),
                        images ? "set data.train = images:FOLDER" : "set model.input = images");
    const int64_t added = job.train.added_tokens(), tokens = data.info().needed_vocab_size(),
                  needed = tokens + added;
    if (job.model.vocab_size == 0) job.model.vocab_size = data.info().vocab_size + added;
    if (job.model.vocab_size >= needed) return;
    throw UserError(
        fmt::format("model.vocab_size is {}, but the data have {} {}{}", job.model.vocab_size,
                    tokens, images ? "classes" : "different tokens",
                    job.train.is_masked() ? " and the mask is one more" : ""),
        fmt::format("set model.vocab_size to {} or more", needed));
}

ObjectiveData::ObjectiveData(const Job& job, const DataSource& plain) : plain_(plain) {
    if (!job.train.is_masked()) return;
    Job checked = job;
    resolve_vocab_size(checked, plain);
    masked_.emplace(plain, MaskOptions{job.train.mask_rate, job.train.mask_span}, job.seed,
                    static_cast<int32_t>(job.model.vocab_size - 1));
}

int64_t ObjectiveData::targets_of_step(int64_t step, const TrainConfig& train) const {
    if (!masked_) return 0;
    return masked_->count_chosen(step, train.batch_size * train.grad_accum, train.seq_len);
}

Batch objective_batch(const TrainConfig& train, const ModelConfig& model,
                      std::span<const int32_t> tokens, int64_t seq_len) {
    Batch batch = next_token_batch(tokens, seq_len);
    if (train.is_masked())
        mask_rows({train.mask_rate, train.mask_span}, {.use = MaskKey::kValidation},
                  static_cast<int32_t>(model.vocab_size - 1), model.vocab_size - 1, batch);
    return batch;
}

}  // namespace headroom
