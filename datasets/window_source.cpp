#include "datasets/window_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/batch.h"

namespace headroom {
namespace {

class WindowSource : public SequenceSource {
  public:
    WindowSource(TokenArray tokens, Vocabulary vocabulary, std::string label)
        : tokens_(std::move(tokens)), vocabulary_(vocabulary), label_(std::move(label)) {}

    int64_t vocab_size() const override { return vocabulary_.size; }
    int64_t least_vocab_size() const override { return vocabulary_.least; }
    int64_t tokens() const override { return tokens_.size(); }

    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        check_seq_len(static_cast<int64_t>(inputs.size()));
        fill(random.below(positions(inputs.size())), inputs, targets);
    }

    void eval_row(int64_t index, std::span<int32_t> inputs,
                  std::span<int32_t> targets) const override {
        check_seq_len(static_cast<int64_t>(inputs.size()));
        constexpr uint64_t kGoldenFraction = 0x9e3779b97f4a7c15u;  // (sqrt(5) - 1) / 2 * 2^64
        const uint64_t fraction = kGoldenFraction * static_cast<uint64_t>(index);
        const auto product = static_cast<unsigned __int128>(fraction) *
                             static_cast<unsigned __int128>(positions(inputs.size()));
        fill(static_cast<int64_t>(product >> 64), inputs, targets);
    }

    bool walk_row(int64_t index, std::span<int32_t> inputs,
                  std::span<int32_t> targets) const override {
        const auto seq_len = static_cast<int64_t>(inputs.size()), first = index * seq_len;
        const auto count =
            static_cast<size_t>(std::clamp<int64_t>(tokens_.size() - 1 - first, 0, seq_len));
        if (count == 0) return false;
        fill(first, inputs.first(count), targets.first(count));
        std::ranges::fill(inputs.subspan(count), 0);
        std::ranges::fill(targets.subspan(count), kIgnoredTarget);
        return true;
    }

    void check_seq_len(int64_t seq_len) const override {
        if (tokens_.size() > seq_len) return;
        throw UserError(fmt::format("{} has {} tokens, too few for rows of train.seq_len = {} "
                                    "and the token after them",
                                    label_, tokens_.size(), seq_len),
                        "use more data, another data.val or a smaller train.seq_len");
    }

    std::string describe() const override {
        return fmt::format("{}: {} tokens", label_, tokens_.size());
    }

  private:
    int64_t positions(size_t seq_len) const {
        return tokens_.size() - static_cast<int64_t>(seq_len);
    }

    void fill(int64_t first, std::span<int32_t> inputs, std::span<int32_t> targets) const {
        tokens_.read(first, inputs);
        tokens_.read(first + 1, targets);
        check_id(inputs[0], first);
        for (size_t i = 0; i < targets.size(); ++i)
            check_id(targets[i], first + 1 + static_cast<int64_t>(i));
    }

    void check_id(int32_t id, int64_t position) const {
        if (id >= 0 && id < vocabulary_.size) return;
        throw UserError(fmt::format("{}: token {} at position {} is outside the vocabulary of {}",
                                    label_, id, position, vocabulary_.size),
                        "check that the file was made with this tokenizer");
    }

    TokenArray tokens_;
    Vocabulary vocabulary_;
    std::string label_;
};

}  // namespace

std::unique_ptr<SequenceSource> make_window_source(TokenArray tokens, Vocabulary vocabulary,
                                                   std::string label) {
    return std::make_unique<WindowSource>(std::move(tokens), vocabulary, std::move(label));
}

}  // namespace headroom
