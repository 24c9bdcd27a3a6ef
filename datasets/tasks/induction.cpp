#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/data/data_source.h"
#include "datasets/tasks/tasks.h"

namespace headroom {
namespace {

/// A random segment of distinct tokens, repeated to the end of the row. From its second round on,
/// each next token is the one that followed the present token before: what an induction head does
/// (Olsson et al. 2022, arXiv:2209.11895). The length of the segment is drawn for each row, so that
/// counting back a fixed distance does not help. Targets of the first round are ignored.
class InductionSource : public TaskSource {
  public:
    InductionSource(int64_t vocab, int64_t period) : vocab_(vocab), period_(period) {}

    int64_t vocab_size() const override { return vocab_; }

    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        const int64_t shortest = (period_ + 1) / 2;
        const int64_t period = shortest + random.below(period_ - shortest + 1);
        std::vector<int32_t> deck(static_cast<size_t>(vocab_));
        std::iota(deck.begin(), deck.end(), 0);
        for (int64_t i = 0; i < period; ++i) std::swap(deck[i], deck[i + random.below(vocab_ - i)]);
        const auto length = static_cast<int64_t>(inputs.size());
        for (int64_t t = 0; t < length; ++t) {
            inputs[t] = deck[t % period];
            targets[t] = t < period ? kIgnoredTarget : deck[(t + 1) % period];
        }
    }

    void check_seq_len(int64_t seq_len) const override {
        require_seq_len(seq_len, period_, "a segment of ?period tokens and its repetition");
    }

    std::string describe() const override {
        return fmt::format("task:induction?vocab={}&period={}", vocab_, period_);
    }

  private:
    int64_t vocab_, period_;
};

}  // namespace

TaskInfo induction_task() {
    return {"induction",
            "a random segment of distinct tokens, repeated: copy what followed last time",
            {{"vocab", 64, 2, 65536, "number of tokens"},
             {"period", 32, 2, 65536, "longest segment; the shortest is half of it"}},
            [](const TaskOptions& options) -> std::unique_ptr<SequenceSource> {
                const int64_t vocab = options.at("vocab"), period = options.at("period");
                require_task_option(period <= vocab, "induction", "period", period,
                                    "segments hold distinct tokens, so give period <= vocab");
                return std::make_unique<InductionSource>(vocab, period);
            }};
}

}  // namespace headroom
