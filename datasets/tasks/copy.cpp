#include <fmt/format.h>

#include "core/data/data_source.h"
#include "datasets/tasks/tasks.h"

namespace headroom {
namespace {

/// Words of random symbols, each written twice: symbols, COPY, the same symbols, END, and the next
/// word. Symbols may recur within a word, so that copying needs the place and not only the symbol
/// before. Targets are scored from COPY to END; the rest is random and ignored.
class CopySource : public TaskSource {
  public:
    CopySource(int64_t vocab, int64_t longest) : symbols_(vocab - 2), longest_(longest) {}

    int64_t vocab_size() const override { return symbols_ + 2; }

    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        const auto copy_mark = static_cast<int32_t>(symbols_), end_mark = copy_mark + 1;
        std::vector<int32_t> tokens;
        std::vector<bool> scored;  // whether tokens[i] is worth predicting
        while (tokens.size() <= inputs.size()) {
            const size_t start = tokens.size();
            const auto length = static_cast<size_t>(1 + random.below(longest_));
            for (size_t i = 0; i < length; ++i)
                tokens.push_back(static_cast<int32_t>(random.below(symbols_)));
            tokens.push_back(copy_mark);
            scored.resize(tokens.size(), false);
            for (size_t i = 0; i < length; ++i) tokens.push_back(tokens[start + i]);
            tokens.push_back(end_mark);
            scored.resize(tokens.size(), true);
        }
        for (size_t t = 0; t < inputs.size(); ++t) {
            inputs[t] = tokens[t];
            targets[t] = scored[t + 1] ? tokens[t + 1] : kIgnoredTarget;
        }
    }

    /// The first word is copied to its first symbol at least, so every row has a target.
    void check_seq_len(int64_t seq_len) const override {
        require_seq_len(seq_len, longest_, "a word of ?length symbols and its copy");
    }

    std::string describe() const override {
        return fmt::format("task:copy?vocab={}&length={}", vocab_size(), longest_);
    }

  private:
    int64_t symbols_, longest_;
};

}  // namespace

TaskInfo copy_task() {
    return {"copy",
            "words of random symbols, each followed by a mark and its copy",
            {{"vocab", 32, 3, 65536, "number of tokens, two of them marks"},
             {"length", 16, 1, 65536, "longest word"}},
            [](const TaskOptions& options) -> std::unique_ptr<SequenceSource> {
                return std::make_unique<CopySource>(options.at("vocab"), options.at("length"));
            }};
}

}  // namespace headroom
