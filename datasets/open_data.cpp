#include "datasets/open_data.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "datasets/data_spec.h"
#include "datasets/streams.h"
#include "datasets/tasks/task.h"
#include "datasets/text/read_text.h"
#include "datasets/tokenizers/tokenizer.h"
#include "datasets/window_source.h"

namespace headroom {
namespace {

/// Training rows from one sequence source, evaluation rows from another.
class PairedSource : public BatchSource {
  public:
    PairedSource(std::unique_ptr<SequenceSource> train, std::unique_ptr<SequenceSource> val,
                 std::string tokenizer, int64_t seed)
        : train_(std::move(train)),
          val_(std::move(val)),
          tokenizer_(std::move(tokenizer)),
          seed_(static_cast<uint64_t>(seed)) {
        if (val_->vocab_size() != train_->vocab_size())
            throw UserError(fmt::format("data.val ({}) has a vocabulary of {}, data.train ({}) "
                                        "one of {}",
                                        val_->describe(), val_->vocab_size(), train_->describe(),
                                        train_->vocab_size()),
                            "choose data of the same vocabulary");
    }

    int64_t vocab_size() const override { return train_->vocab_size(); }

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
        return tokenizer_.empty() ? line : fmt::format("{}; tokenizer {}", line, tokenizer_);
    }

  private:
    /// The very first batch also tells that the validation data are too short.
    void check_shape(int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                     std::span<int32_t> targets) const {
        const auto tokens = static_cast<size_t>(batch_size * seq_len);
        CHECK(batch_size > 0 && seq_len > 0, "batch shape");
        CHECK(inputs.size() == tokens && targets.size() == tokens, "batch spans");
        train_->check_seq_len(seq_len);
        val_->check_seq_len(seq_len);
    }

    std::unique_ptr<SequenceSource> train_, val_;
    std::string tokenizer_;
    uint64_t seed_;
};

/// Opens text and token files, whose two sides share a tokenizer.
class Opener {
  public:
    explicit Opener(const DataConfig& config) : config_(config) {}

    std::unique_ptr<BatchSource> open(int64_t seed) {
        const DataSpec train_spec = parse_data_spec(config_.train, "data.train");
        const DataSpec val_spec = parse_data_spec(config_.val, "data.val");
        if (train_spec.kind == DataSpec::Kind::kSplit)
            throw UserError("data.train: split: is only for data.val",
                            "write text:FILE_OR_FOLDER, tokens:FILE or task:NAME");
        std::unique_ptr<SequenceSource> train, val;
        if (val_spec.kind == DataSpec::Kind::kSplit) {
            std::tie(train, val) = open_split(train_spec, split_fraction(val_spec));
        } else {
            train = open_whole(train_spec, "data.train");
            val = open_whole(val_spec, "data.val");
        }
        return std::make_unique<PairedSource>(std::move(train), std::move(val), used_tokenizer_,
                                              seed);
    }

  private:
    using Pair = std::pair<std::unique_ptr<SequenceSource>, std::unique_ptr<SequenceSource>>;

    Pair open_split(const DataSpec& spec, double fraction) {
        if (spec.kind == DataSpec::Kind::kTask)
            return {open_task(spec, "data.train"), open_task(spec, "data.train")};
        refuse_tokens(spec, "data.train");
        const std::string text = read_text(spec.name);
        const size_t cut = cut_position(text, fraction);
        return {text_source(text.substr(0, cut), text, "text " + spec.name),
                text_source(text.substr(cut), text, "text " + spec.name)};
    }

    std::unique_ptr<SequenceSource> open_whole(const DataSpec& spec, const std::string& key) {
        if (spec.kind == DataSpec::Kind::kTask) return open_task(spec, key);
        refuse_tokens(spec, key);
        const std::string text = read_text(spec.name);
        return text_source(text, text, "text " + spec.name);
    }

    static void refuse_tokens(const DataSpec& spec, const std::string& key) {
        if (spec.kind == DataSpec::Kind::kTokens)
            throw UserError(fmt::format("{}: token files cannot be read yet", key), "use text:");
    }

    /// Where the last `fraction` of the text starts, moved back to a whole code point.
    static size_t cut_position(std::string_view text, double fraction) {
        auto cut =
            static_cast<size_t>(std::floor(static_cast<double>(text.size()) * (1.0 - fraction)));
        cut = std::min(cut, text.size());
        while (cut > 0 && cut < text.size() && (text[cut] & 0xc0) == 0x80) --cut;
        return cut;
    }

    std::unique_ptr<SequenceSource> text_source(std::string text, std::string_view vocabulary_text,
                                                const std::string& label) {
        if (!tokenizer_) tokenizer_ = open_tokenizer(config_.tokenizer, vocabulary_text);
        used_tokenizer_ = tokenizer_->name();
        TokenArray tokens = TokenArray::from_ids(tokenizer_->encode(text));
        return make_window_source(std::move(tokens), tokenizer_->vocab_size(), label);
    }

    const DataConfig& config_;
    std::unique_ptr<Tokenizer> tokenizer_;
    std::string used_tokenizer_;
};

}  // namespace

std::unique_ptr<BatchSource> open_data(const DataConfig& config, int64_t seed) {
    return Opener(config).open(seed);
}

}  // namespace headroom
