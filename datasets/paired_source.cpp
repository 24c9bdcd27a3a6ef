#include "datasets/paired_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "datasets/streams.h"

namespace headroom {
namespace {

class PairedSource : public BatchSource {
  public:
    PairedSource(std::unique_ptr<SequenceSource> train, std::unique_ptr<SequenceSource> val,
                 std::shared_ptr<const Tokenizer> tokenizer, int64_t seed)
        : train_(std::move(train)),
          val_(std::move(val)),
          tokenizer_(std::move(tokenizer)),
          seed_(static_cast<uint64_t>(seed)) {}

    int64_t vocab_size() const override {
        return std::max(train_->vocab_size(), val_->vocab_size());
    }

    void train_batch(int64_t step, int64_t micro, int64_t batch_size, int64_t seq_len,
                     std::span<int32_t> inputs, std::span<int32_t> targets) const override {
        check_shape(batch_size, seq_len, inputs, targets);
        for (int64_t row = 0; row < batch_size; ++row) {
            CounterRandom random{kTrainingStream, seed_, static_cast<uint64_t>(step),
                                 static_cast<uint64_t>(micro), static_cast<uint64_t>(row)};
            train_->draw(random, inputs.subspan(row * seq_len, seq_len),
                         targets.subspan(row * seq_len, seq_len));
        }
    }

    void eval_batch(int64_t index, int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                    std::span<int32_t> targets) const override {
        check_shape(batch_size, seq_len, inputs, targets);
        for (int64_t row = 0; row < batch_size; ++row)
            val_->fixed(index * batch_size + row, inputs.subspan(row * seq_len, seq_len),
                        targets.subspan(row * seq_len, seq_len));
    }

    std::string describe() const override {
        const std::string line =
            fmt::format("train {}; val {}", train_->describe(), val_->describe());
        return tokenizer_ ? fmt::format("{}; tokenizer {}", line, tokenizer_->name()) : line;
    }

    std::string tokenizer_json() const override {
        return tokenizer_ ? tokenizer_->to_json().dump() : "";
    }

  private:
    /// Looks at both sides, so that the first training batch also tells of too little validation
    /// data.
    void check_shape(int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                     std::span<int32_t> targets) const {
        CHECK(batch_size > 0 && seq_len > 0, "batch shape");
        const auto tokens = static_cast<size_t>(batch_size * seq_len);
        CHECK(inputs.size() == tokens && targets.size() == tokens, "batch spans");
        train_->check_seq_len(seq_len);
        val_->check_seq_len(seq_len);
    }

    std::unique_ptr<SequenceSource> train_, val_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    uint64_t seed_;
};

}  // namespace

std::unique_ptr<BatchSource> make_paired_source(std::unique_ptr<SequenceSource> train,
                                                std::unique_ptr<SequenceSource> val,
                                                std::shared_ptr<const Tokenizer> tokenizer,
                                                int64_t seed) {
    return std::make_unique<PairedSource>(std::move(train), std::move(val), std::move(tokenizer),
                                          seed);
}

}  // namespace headroom
