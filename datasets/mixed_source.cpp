#include "datasets/mixed_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headroom {
namespace {

class MixedSource : public SequenceSource {
  public:
    explicit MixedSource(std::vector<MixedPart> parts) : parts_(std::move(parts)) {
        double all = 0;
        for (const MixedPart& part : parts_) all += part.weight;
        double below = 0;
        for (MixedPart& part : parts_) {
            below += part.weight;
            part.weight /= all;
            ends_.push_back(below / all);
        }
    }

    int64_t vocab_size() const override {
        int64_t largest = 0;
        for (const MixedPart& part : parts_) largest = std::max(largest, part.source->vocab_size());
        return largest;
    }
    int64_t least_vocab_size() const override {
        int64_t largest = 0;
        for (const MixedPart& part : parts_)
            largest = std::max(largest, part.source->least_vocab_size());
        return largest;
    }
    int64_t tokens() const override {
        int64_t sum = 0;
        for (const MixedPart& part : parts_) {
            if (part.source->tokens() < 0) return -1;
            sum += part.source->tokens();
        }
        return sum;
    }
    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        at(random.uniform()).sample(random, inputs, targets);
    }
    void eval_row(int64_t index, std::span<int32_t> inputs,
                  std::span<int32_t> targets) const override {
        // Not the golden ratio, by which the sources choose their own positions.
        constexpr uint64_t kRootOfTwo = 0x6a09e667f3bcc909u;  // (sqrt(2) - 1) * 2^64
        const uint64_t fraction = kRootOfTwo * static_cast<uint64_t>(index);
        at(static_cast<double>(fraction >> 11) * 0x1.0p-53).eval_row(index, inputs, targets);
    }
    void check_seq_len(int64_t seq_len) const override {
        for (const MixedPart& part : parts_) part.source->check_seq_len(seq_len);
    }
    std::string describe() const override {
        std::vector<std::string> each;
        for (const MixedPart& part : parts_)
            each.push_back(fmt::format("{:.3g} of {}", part.weight, part.source->describe()));
        return fmt::format("{}", fmt::join(each, " + "));
    }

  private:
    const SequenceSource& at(double place) const {
        const auto end = std::upper_bound(ends_.begin(), std::prev(ends_.end()), place);
        return *parts_[static_cast<size_t>(end - ends_.begin())].source;
    }

    std::vector<MixedPart> parts_;
    std::vector<double> ends_;  ///< of the parts' stretches of [0, 1)
};

}  // namespace

std::unique_ptr<SequenceSource> make_mixed_source(std::vector<MixedPart> parts) {
    return std::make_unique<MixedSource>(std::move(parts));
}

}  // namespace headroom
