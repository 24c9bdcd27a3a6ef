#include "datasets/open_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/key_error.h"
#include "core/base/printable.h"
#include "core/data/data_spec.h"
#include "datasets/formats/stored_tokens.h"
#include "datasets/formats/token_manifest.h"
#include "datasets/images/open_images.h"
#include "datasets/mixed_source.h"
#include "datasets/tasks/task.h"
#include "datasets/text/encode_documents.h"
#include "datasets/train_val_source.h"
#include "datasets/window_source.h"

namespace headroom {
namespace {

using Split = std::unique_ptr<SequenceSource>;
using Splits = std::pair<Split, Split>;

/// Files up to this many tokens are checked whole when they are opened; in larger ones of a
/// declared vocabulary each window is checked as it is read.
constexpr int64_t kMostTokensChecked = int64_t{1} << 28;

DataSpec training_spec(const DataConfig& config) {
    return about_key("data.train", [&] { return parse_training_data(config.train); });
}

/// Whether one of the paths is the other, or lies below it.
bool share_files(const DataSpec& a, const DataSpec& b) {
    if (!info_of(a.kind).names_path || !info_of(b.kind).names_path) return false;
    std::error_code failed;
    const auto x = std::filesystem::weakly_canonical(a.name, failed),
               y = std::filesystem::weakly_canonical(b.name, failed);
    if (failed) return false;
    const auto begins = [](const std::filesystem::path& whole, const std::filesystem::path& part) {
        return std::mismatch(part.begin(), part.end(), whole.begin(), whole.end()).first ==
               part.end();
    };
    return begins(x, y) || begins(y, x);
}

/// Says that validation reads files of the training data; "" where it does not.
std::string overlap_of(const DataSpec& train, const DataSpec& val) {
    const bool other_part = train.options != val.options;  // of one HDF5 file
    if (other_part || train.kind != val.kind || !share_files(train, val)) return "";
    return fmt::format(
        "data.val = {} is among the files of data.train = {}: its loss is of what "
        "is trained on",
        val.text, train.text);
}

/// A task whose tokens stand for no text.
bool is_of_numbers(const DataSpec& spec) {
    if (spec.kind != DataSpec::Kind::kTask) return false;
    for (const TaskInfo& task : list_tasks())
        if (task.name == spec.name) return !task.is_text;
    return false;
}

/// Opens both splits of the data; they share one tokenizer.
class DataLoader {
  public:
    DataLoader(const DataConfig& config, std::shared_ptr<const Tokenizer> tokenizer)
        : config_(config), tokenizer_(std::move(tokenizer)) {}

    OpenedData open(int64_t seed) {
        const DataSpec train_spec = training_spec(config_);
        const DataSpec val_spec =
            about_key("data.val", [&] { return parse_validation_data(config_.val); });
        if (train_spec.kind == DataSpec::Kind::kImages)
            return open_images(config_, train_spec, val_spec, seed);
        if (val_spec.kind == DataSpec::Kind::kImages)
            throw KeyError(UserError("data.val: images go with images in data.train",
                                     "write data.train = images:FOLDER"),
                           {"data.val", "data.train"});
        Splits splits = val_spec.kind == DataSpec::Kind::kSplit ? open_split(train_spec, val_spec)
                                                                : open_both(train_spec, val_spec);
        // Numbers are no text, though a model that reads them may name a tokenizer.
        if (is_of_numbers(train_spec) &&
            (val_spec.kind == DataSpec::Kind::kSplit || is_of_numbers(val_spec)))
            tokenizer_ = nullptr;
        const int64_t train = splits.first->tokens();
        const std::shared_ptr<const SequenceSource> val = std::move(splits.second);
        return {make_train_val_source(std::move(splits.first), val, tokenizer_.get(), seed),
                tokenizer_,
                train,
                val->tokens(),
                val,
                overlap_of(train_spec, val_spec)};
    }

  private:
    Splits open_both(const DataSpec& train, const DataSpec& val) {
        // char takes its vocabulary from the first one
        Split first = about_key("data.train", [&] { return open_whole(train, "data.train"); });
        return {std::move(first),
                about_key("data.val", [&] { return open_whole(val, "data.val"); })};
    }

    Splits open_split(const DataSpec& train, const DataSpec& val) {
        const double fraction = about_key("data.val", [&] { return split_fraction(val); });
        return about_key("data.train", [&] { return splits_of(train, fraction); });
    }

    Split open_whole(const DataSpec& spec, const std::string& key) {
        if (spec.kind == DataSpec::Kind::kTask) return task(spec, key);
        if (spec.kind == DataSpec::Kind::kMix) {
            std::vector<MixedPart> parts;
            for (const WeightedSpec& part : specs_of_mixture(spec, key))
                parts.push_back({part.weight, open_whole(part.spec, key)});
            return make_mixed_source(std::move(parts));
        }
        if (info_of(spec.kind).holds_ids) {
            const TokenArray ids = open_stored_tokens(spec);
            return windows(ids, token_vocabulary(spec, key, ids), label_of(spec));
        }
        const Documents documents = read_documents(spec.name, check_for(config_.tokenizer));
        open_text_tokenizer(documents);
        return text_windows(documents, spec.name);
    }

    Splits splits_of(const DataSpec& spec, double fraction) {
        const std::string key = "data.train";
        if (spec.kind == DataSpec::Kind::kTask) return {task(spec, key), task(spec, key)};
        if (spec.kind == DataSpec::Kind::kMix) {
            std::vector<MixedPart> train, val;
            for (const WeightedSpec& part : specs_of_mixture(spec, key)) {
                Splits both = splits_of(part.spec, fraction);
                train.push_back({part.weight, std::move(both.first)});
                val.push_back({part.weight, std::move(both.second)});
            }
            return {make_mixed_source(std::move(train)), make_mixed_source(std::move(val))};
        }
        const std::string rest = fmt::format("the last {} of {}", fraction, label_of(spec));
        if (info_of(spec.kind).holds_ids) {
            const TokenArray ids = open_stored_tokens(spec);
            const Vocabulary vocabulary = token_vocabulary(spec, key, ids);
            const int64_t all = ids.size();
            const auto cut =
                static_cast<int64_t>(std::floor(static_cast<double>(all) * (1.0 - fraction)));
            return {windows(ids.slice(0, cut), vocabulary, label_of(spec)),
                    windows(ids.slice(cut, all - cut), vocabulary, rest)};
        }
        Documents documents = read_documents(spec.name, check_for(config_.tokenizer));
        open_text_tokenizer(documents);
        const auto [before, after] = split_documents(std::move(documents), fraction);
        return {text_windows(before, spec.name), text_windows(after, rest)};
    }

    std::vector<WeightedSpec> specs_of_mixture(const DataSpec& spec, const std::string& key) const {
        if (config_.tokenizer == "char")
            throw UserError(fmt::format("{}: char takes its vocabulary from one text, not from "
                                        "\"{}\"",
                                        key, spec.text),
                            "set data.tokenizer to another");
        return mixed_specs(spec, key);
    }

    Split task(const DataSpec& spec, const std::string& key) {
        Split source = open_task(spec, key);
        for (const TaskInfo& info : list_tasks())
            if (info.name == spec.name && info.is_text && !tokenizer_)
                tokenizer_ = make_byte_tokenizer();
        return source;
    }

    /// The char vocabulary is that of all of the training file, the part split off included, so
    /// that the same file gives the same tokens whatever the fraction.
    void open_text_tokenizer(const Documents& documents) {
        if (tokenizer_) return;
        const bool needs_text = config_.tokenizer == "char";
        tokenizer_ = about_key("data.tokenizer", [&] {
            return open_tokenizer(config_.tokenizer, needs_text ? join_documents(documents) : "");
        });
    }

    Split text_windows(const Documents& documents, const std::string& label) const {
        const int64_t vocabulary = tokenizer_->vocab_size();
        return windows(encode_documents(*tokenizer_, documents), {vocabulary, vocabulary}, label);
    }

    static Split windows(TokenArray tokens, Vocabulary vocabulary, const std::string& label) {
        return make_window_source(std::move(tokens), vocabulary, label);
    }

    /// What is declared, else that of the tokenizer that the job names, else of the one that the
    /// file was prepared with, else what the ids need.
    Vocabulary token_vocabulary(const DataSpec& spec, const std::string& key,
                                const TokenArray& ids) {
        int64_t vocabulary = declared_vocabulary(spec, key);
        const bool names_one = config_.tokenizer != "byte" && config_.tokenizer != "char";
        if (names_one && !tokenizer_)
            tokenizer_ =
                about_key("data.tokenizer", [&] { return open_tokenizer(config_.tokenizer, ""); });
        if (vocabulary == 0 && tokenizer_ && !is_of_manifest_)
            vocabulary = tokenizer_->vocab_size();
        bool is_of_file = false;
        if (const auto origin = origin_of(spec, ids.size())) {
            if (!names_one) take_tokenizer_of(spec, key, *origin);
            check_is_read_alike(spec, key, *origin);
            is_of_file = vocabulary == 0 && !names_one;
            if (is_of_file) vocabulary = origin->vocab_size;
        }
        if (vocabulary > 0 && ids.size() > kMostTokensChecked) return {vocabulary, vocabulary};
        const int64_t largest = ids.largest_id();
        if (largest >= int64_t{1} << 31)
            throw UserError(
                fmt::format("{}: {} holds a number below 0 or beyond 31 bits", key, spec.name),
                "give ids of tokens");
        if (largest < 0)
            throw UserError(fmt::format("{}: {} holds no tokens", key, spec.name),
                            "give a file that was written to its end");
        if (vocabulary == 0) return {largest + 1, largest + 1};
        if (largest >= vocabulary)
            throw UserError(fmt::format("{}: token {} in {} is outside the vocabulary of {}", key,
                                        largest, spec.name, vocabulary),
                            "check that the file was made with this tokenizer");
        return {vocabulary, is_of_file ? largest + 1 : vocabulary};
    }

    /// The one that the file was prepared with, as its manifest says, where nobody names another.
    void take_tokenizer_of(const DataSpec& spec, const std::string& key,
                           const TokenOrigin& origin) {
        if (!tokenizer_) {
            tokenizer_ = origin.reader;
            is_of_manifest_ = true;
        }
        if (tokenizer_ && tokenizer_->vocab_size() != origin.vocab_size)
            throw UserError(
                fmt::format("{}: {} was prepared with the tokenizer {} of {} tokens, "
                            "not with {} of {}",
                            key, spec.name, printable(origin.tokenizer, 100), origin.vocab_size,
                            tokenizer_->name(), tokenizer_->vocab_size()),
                "give data that are all of one tokenizer");
    }

    /// Whose vocabulary is not there any more cannot be compared.
    void check_is_read_alike(const DataSpec& spec, const std::string& key,
                             const TokenOrigin& origin) const {
        if (!tokenizer_ || !origin.reader || is_same_vocabulary(*tokenizer_, *origin.reader))
            return;
        throw UserError(
            fmt::format("{}: {} was prepared with the tokenizer {}, whose tokens are other text "
                        "than those of {}",
                        key, spec.name, printable(origin.tokenizer, 100), tokenizer_->name()),
            "give data and model of one tokenizer, or prepare the file anew");
    }

    const DataConfig& config_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    bool is_of_manifest_ = false;
};

}  // namespace

OpenedData open_all_data(const DataConfig& config, int64_t seed,
                         std::shared_ptr<const Tokenizer> tokenizer) {
    return DataLoader(config, std::move(tokenizer)).open(seed);
}

std::unique_ptr<DataSource> open_data(const DataConfig& config, int64_t seed,
                                      std::shared_ptr<const Tokenizer> tokenizer) {
    return open_all_data(config, seed, std::move(tokenizer)).batches;
}

int64_t known_vocabulary(const DataConfig& config) {
    const DataSpec spec = training_spec(config);
    if (info_of(spec.kind).holds_ids) return declared_vocabulary(spec, "data.train");
    if (spec.kind == DataSpec::Kind::kTask) return open_task(spec, "data.train")->vocab_size();
    if (spec.kind != DataSpec::Kind::kText || config.tokenizer == "char") return 0;
    return about_key("data.tokenizer",
                     [&] { return open_tokenizer(config.tokenizer, "")->vocab_size(); });
}

}  // namespace headroom
