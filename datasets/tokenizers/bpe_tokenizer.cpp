#include <mutex>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "datasets/tokenizers/bpe_merger.h"
#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/gpt2_splitter.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

/// Tokens of the pieces seen so far. Most words of a text are repetitions, so nearly all of the
/// time goes into this look-up.
class PieceCache {
  public:
    static constexpr size_t kLongestPiece = 48;
    static constexpr size_t kMostPieces = 1 << 18;

    /// The tokens of `piece`, or nullptr.
    const std::vector<int32_t>* find(std::string_view piece) const {
        const auto found = tokens_.find(piece);
        return found == tokens_.end() ? nullptr : &found->second;
    }
    void keep(std::string_view piece, std::vector<int32_t> tokens) {
        if (piece.size() > kLongestPiece) return;
        if (tokens_.size() >= kMostPieces) tokens_.clear();
        tokens_.emplace(piece, std::move(tokens));
    }

  private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    std::unordered_map<std::string, std::vector<int32_t>, Hash, std::equal_to<>> tokens_;
};

class BpeTokenizer : public Tokenizer {
  public:
    BpeTokenizer(std::string spec, BpeVocabulary vocabulary)
        : spec_(std::move(spec)), vocabulary_(std::move(vocabulary)) {}

    std::string name() const override { return spec_; }
    int64_t vocab_size() const override { return vocabulary_.vocab_size(); }
    std::map<std::string, int32_t> special_tokens() const override {
        return vocabulary_.special_tokens;
    }

    std::vector<int32_t> encode(std::string_view text) const override {
        check_utf8(text, spec_);
        // Whoever comes second works with an empty cache of its own rather than wait.
        const std::unique_lock lock(cache_mutex_, std::try_to_lock);
        PieceCache own;
        PieceCache& cache = lock.owns_lock() ? cache_ : own;
        BpeMerger merger(vocabulary_);
        std::vector<int32_t> ids, tokens;
        ids.reserve(text.size() / 3);
        splitter_.split(text, [&](std::string_view piece) {
            if (const auto* known = cache.find(piece)) {
                ids.insert(ids.end(), known->begin(), known->end());
                return;
            }
            tokens.clear();
            merger.merge(piece, tokens);
            ids.insert(ids.end(), tokens.begin(), tokens.end());
            cache.keep(piece, tokens);
        });
        return ids;
    }

    std::string decode(std::span<const int32_t> ids) const override {
        std::string text;
        for (const int32_t id : ids) {
            const bool known = id >= 0 && id < vocab_size() &&
                               !vocabulary_.tokens[static_cast<size_t>(id)].empty();
            if (!known)
                throw UserError(fmt::format("token {} is not in the vocabulary of {}", id, spec_),
                                fmt::format("use ids below {}", vocab_size()));
            text += vocabulary_.tokens[static_cast<size_t>(id)];
        }
        return text;
    }

    nlohmann::json to_json() const override {
        return {{"kind", "bpe"},
                {"spec", spec_},
                {"vocab_size", vocab_size()},
                {"vocabulary_hash", fmt::format("{:016x}", vocabulary_.hash())}};
    }

  private:
    std::string spec_;
    BpeVocabulary vocabulary_;
    Gpt2Splitter splitter_;
    mutable std::mutex cache_mutex_;
    mutable PieceCache cache_;  ///< guarded by cache_mutex_
};

}  // namespace

std::unique_ptr<Tokenizer> make_gpt2_tokenizer(const std::string& folder) {
    return std::make_unique<BpeTokenizer>("gpt2:" + folder, load_gpt2_vocabulary(folder));
}

std::unique_ptr<Tokenizer> make_json_tokenizer(const std::string& path) {
    return std::make_unique<BpeTokenizer>("json:" + path, load_tokenizer_json(path));
}

}  // namespace headroom
