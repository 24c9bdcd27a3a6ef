#include "datasets/train_val_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "datasets/streams.h"

namespace headroom {
namespace {

class TrainValSource : public DataSource {
  public:
    TrainValSource(std::unique_ptr<SequenceSource> train, std::shared_ptr<const SequenceSource> val,
                   const Tokenizer* tokenizer, int64_t seed)
        : train_(std::move(train)), val_(std::move(val)), seed_(static_cast<uint64_t>(seed)) {
        info_.vocab_size = std::max(train_->vocab_size(), val_->vocab_size());
        info_.least_vocab_size = std::max(train_->least_vocab_size(), val_->least_vocab_size());
        info_.description = fmt::format("train {}; val {}", train_->describe(), val_->describe());
        if (!tokenizer) return;
        info_.description += "; tokenizer " + tokenizer->name();
        info_.tokenizer_json = tokenizer->to_json().dump();
    }

    const DataInfo& info() const override { return info_; }

    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const int64_t seq_len = checked_seq_len(batch);
        const std::span<int32_t> inputs = batch.tokens(), targets = batch.targets();
        for (int64_t row = 0; row < batch.batch_size(); ++row) {
            CounterRandom random{kTrainingStream, seed_, static_cast<uint64_t>(step),
                                 static_cast<uint64_t>(micro), static_cast<uint64_t>(row)};
            train_->sample(random, inputs.subspan(row * seq_len, seq_len),
                           targets.subspan(row * seq_len, seq_len));
        }
    }

    void eval_batch(int64_t index, Batch& batch) const override {
        const int64_t seq_len = checked_seq_len(batch), rows = batch.batch_size();
        const std::span<int32_t> inputs = batch.tokens(), targets = batch.targets();
        for (int64_t row = 0; row < rows; ++row)
            val_->eval_row(index * rows + row, inputs.subspan(row * seq_len, seq_len),
                           targets.subspan(row * seq_len, seq_len));
    }

  private:
    /// Looks at both splits, so that the first training batch also tells of too little validation
    /// data.
    int64_t checked_seq_len(const Batch& batch) const {
        train_->check_seq_len(batch.seq_len());
        val_->check_seq_len(batch.seq_len());
        return batch.seq_len();
    }

    std::unique_ptr<SequenceSource> train_;
    std::shared_ptr<const SequenceSource> val_;
    uint64_t seed_;
    DataInfo info_;
};

}  // namespace

std::unique_ptr<DataSource> make_train_val_source(std::unique_ptr<SequenceSource> train,
                                                  std::shared_ptr<const SequenceSource> val,
                                                  const Tokenizer* tokenizer, int64_t seed) {
    return std::make_unique<TrainValSource>(std::move(train), std::move(val), tokenizer, seed);
}

}  // namespace headroom
