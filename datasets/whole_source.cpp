#include "datasets/whole_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace headroom {
namespace {

class WholeSource : public DataSource {
  public:
    WholeSource(std::shared_ptr<const SequenceSource> split, DataInfo info)
        : split_(std::move(split)), info_(std::move(info)) {}

    const DataInfo& info() const override { return info_; }

    void train_batch(int64_t, int64_t, Batch&) const override {
        CHECK(false, "data that are walked are only evaluated");
    }

    void eval_batch(int64_t index, Batch& batch) const override {
        const int64_t seq_len = batch.seq_len(), rows = batch.batch_size();
        for (int64_t row = 0; row < rows; ++row) {
            const auto inputs = batch.tokens().subspan(row * seq_len, seq_len),
                       targets = batch.targets().subspan(row * seq_len, seq_len);
            if (split_->walk_row(index * rows + row, inputs, targets)) continue;
            std::ranges::fill(inputs, 0);
            std::ranges::fill(targets, kIgnoredTarget);
        }
    }

  private:
    std::shared_ptr<const SequenceSource> split_;
    DataInfo info_;
};

}  // namespace

std::unique_ptr<DataSource> make_whole_source(std::shared_ptr<const SequenceSource> split,
                                              DataInfo info) {
    return std::make_unique<WholeSource>(std::move(split), std::move(info));
}

int64_t whole_batches(const SequenceSource& split, int64_t batch_size, int64_t seq_len) {
    std::vector<int32_t> inputs(static_cast<size_t>(seq_len)), targets(inputs.size());
    if (!split.walk_row(0, inputs, targets))
        throw UserError(split.describe() + ": no text from one end to the other",
                        "give text:PATH or tokens:FILE with two tokens or more");
    const int64_t rows = (split.tokens() - 1 + seq_len - 1) / seq_len;
    return (rows + batch_size - 1) / batch_size;
}

}  // namespace headroom
