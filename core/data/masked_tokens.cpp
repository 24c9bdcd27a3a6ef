#include "core/data/masked_tokens.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/philox.h"

namespace headroom {
namespace {

constexpr double kMaskShare = 0.8, kOtherShare = 0.1;

/// What a row's numbers are for: whether a position is chosen, what becomes of it, by which token
/// it is replaced, and where stretches begin. Masks depend on the values: do not renumber.
enum MaskStream : uint32_t { kChosen, kFate, kReplacement, kPlace };

/// Numbers of one row, by stream and index.
class RowRandom {
  public:
    explicit RowRandom(const MaskKey& key)
        : key_{static_cast<uint32_t>(key.seed) ^ 0x6d61736bu,  // "mask"
               static_cast<uint32_t>(key.seed >> 32)},
          step_(static_cast<uint32_t>(key.step)),
          row_(static_cast<uint32_t>(key.row)),
          use_(key.use) {}

    /// Uniform in [0, 1), a multiple of 2^-53.
    double uniform(MaskStream stream, int64_t index) const {
        return static_cast<double>(word(stream, index) >> 11) * 0x1.0p-53;
    }
    /// Uniform in [0, count). REQUIRES: count > 0.
    int64_t below(MaskStream stream, int64_t index, int64_t count) const {
        const auto product = static_cast<unsigned __int128>(word(stream, index)) *
                             static_cast<unsigned __int128>(count);
        return static_cast<int64_t>(product >> 64);
    }

  private:
    uint64_t word(MaskStream stream, int64_t index) const {
        const auto words = Philox::block(
            {static_cast<uint32_t>(index), step_, row_, stream | (use_ << 8)}, key_[0], key_[1]);
        return (static_cast<uint64_t>(words[0]) << 32) | words[1];
    }

    std::array<uint32_t, 2> key_;
    uint32_t step_, row_, use_;
};

std::vector<bool> choose_by_itself(const RowRandom& random, double rate, int64_t seq_len) {
    std::vector<bool> chosen(static_cast<size_t>(seq_len));
    for (int64_t t = 0; t < seq_len; ++t)
        chosen[static_cast<size_t>(t)] = random.uniform(kChosen, t) < rate;
    if (std::find(chosen.begin(), chosen.end(), true) == chosen.end())
        chosen[static_cast<size_t>(random.below(kPlace, 0, seq_len))] = true;
    return chosen;
}

std::vector<bool> choose_stretches(const RowRandom& random, const MaskOptions& options,
                                   int64_t seq_len) {
    std::vector<bool> chosen(static_cast<size_t>(seq_len));
    const int64_t span = std::min(options.span, seq_len);
    constexpr double kRounding = 1e-9;  // 0.07 * 100 is a little more than 7
    const auto wanted =
        static_cast<int64_t>(std::ceil(options.rate * static_cast<double>(seq_len) - kRounding));
    int64_t count = 0;
    for (int64_t draw = 0; count < wanted; ++draw) {
        const int64_t first = random.below(kPlace, draw, seq_len - span + 1);
        for (int64_t t = first; t < first + span; ++t) {
            count += chosen[static_cast<size_t>(t)] ? 0 : 1;
            chosen[static_cast<size_t>(t)] = true;
        }
    }
    return chosen;
}

std::vector<bool> choose(const RowRandom& random, const MaskOptions& options, int64_t seq_len) {
    return options.span > 1 ? choose_stretches(random, options, seq_len)
                            : choose_by_itself(random, options.rate, seq_len);
}

MaskChoice fate_of(double u) {
    if (u < kMaskShare) return MaskChoice::kMask;
    return u < kMaskShare + kOtherShare ? MaskChoice::kOther : MaskChoice::kStay;
}

}  // namespace

std::vector<MaskChoice> choose_masked(const MaskOptions& options, const MaskKey& key,
                                      int64_t seq_len) {
    const RowRandom random(key);
    const std::vector<bool> chosen = choose(random, options, seq_len);
    std::vector<MaskChoice> choices(chosen.size(), MaskChoice::kUntouched);
    for (size_t t = 0; t < chosen.size(); ++t)
        if (chosen[t]) choices[t] = fate_of(random.uniform(kFate, static_cast<int64_t>(t)));
    return choices;
}

void mask_rows(const MaskOptions& options, MaskKey key, int32_t mask_token, int64_t vocabulary,
               Batch& batch) {
    const int64_t length = batch.seq_len();
    const std::span<int32_t> tokens = batch.tokens(), targets = batch.targets();
    for (int64_t row = 0; row < batch.batch_size(); ++row, ++key.row) {
        const std::vector<MaskChoice> choices = choose_masked(options, key, length);
        const RowRandom random(key);
        for (int64_t t = 0; t < length; ++t) {
            const auto at = static_cast<size_t>(row * length + t);
            const MaskChoice choice = choices[static_cast<size_t>(t)];
            const int32_t original = tokens[at];
            targets[at] = choice == MaskChoice::kUntouched ? kIgnoredTarget : original;
            if (choice == MaskChoice::kMask) tokens[at] = mask_token;
            if (choice != MaskChoice::kOther || vocabulary < 2) continue;
            const auto other = static_cast<int32_t>(random.below(kReplacement, t, vocabulary - 1));
            tokens[at] = other + (other >= original ? 1 : 0);
        }
    }
}

MaskedTokens::MaskedTokens(const DataSource& plain, const MaskOptions& options, int64_t seed,
                           int32_t mask_token)
    : plain_(plain),
      options_(options),
      seed_(static_cast<uint64_t>(seed)),
      mask_token_(mask_token),
      info_(plain.info()) {
    CHECK(options.rate > 0 && options.rate <= 1 && options.span >= 1, "a rate and a span");
    CHECK(mask_token >= info_.needed_vocab_size(), "the mask is no token of the data");
    info_.description += fmt::format("; {:g} % masked", 100 * options.rate);
    if (options.span > 1) info_.description += fmt::format(" in stretches of {}", options.span);
    info_.vocab_size = mask_token + 1;
    info_.least_vocab_size = 0;
}

void MaskedTokens::train_batch(int64_t step, int64_t micro, Batch& batch) const {
    plain_.train_batch(step, micro, batch);
    mask({MaskKey::kTraining, seed_, step, micro * batch.batch_size()}, batch);
}

void MaskedTokens::eval_batch(int64_t index, Batch& batch) const {
    plain_.eval_batch(index, batch);
    mask({MaskKey::kValidation, 0, 0, index * batch.batch_size()}, batch);
}

void MaskedTokens::mask(const MaskKey& first, Batch& batch) const {
    const auto others = std::min<int64_t>(plain_.info().vocab_size, mask_token_);
    mask_rows(options_, first, mask_token_, others, batch);
}

int64_t MaskedTokens::count_chosen(int64_t step, int64_t rows, int64_t seq_len) const {
    int64_t count = 0;
    for (int64_t row = 0; row < rows; ++row) {
        const std::vector<bool> chosen =
            choose(RowRandom({MaskKey::kTraining, seed_, step, row}), options_, seq_len);
        count += std::count(chosen.begin(), chosen.end(), true);
    }
    return count;
}

}  // namespace headroom
