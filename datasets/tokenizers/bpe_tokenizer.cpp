#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "datasets/tokenizers/bpe_merger.h"
#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/gpt2_splitter.h"
#include "datasets/tokenizers/piece_cache.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

class BpeTokenizer : public Tokenizer {
  public:
    BpeTokenizer(std::string spec, BpeVocabulary vocabulary)
        : spec_(std::move(spec)), vocabulary_(std::move(vocabulary)) {}

    std::string name() const override { return spec_; }
    int64_t vocab_size() const override { return vocabulary_.vocab_size(); }
    bool knows(int32_t id) const override {
        return Tokenizer::knows(id) && !vocabulary_.tokens[static_cast<size_t>(id)].empty();
    }
    std::map<std::string, int32_t> special_tokens() const override {
        return vocabulary_.special_tokens;
    }

    std::vector<int32_t> encode(std::string_view text) const override {
        check_utf8(text, spec_);
        // Whoever comes second works with an empty cache of its own rather than wait.
        const std::unique_lock lock(cache_mutex_, std::try_to_lock);
        PieceCache own;
        PieceCache& cache = lock.owns_lock() ? cache_ : own;
        BpeMerger merger(vocabulary_.merges);
        std::vector<int32_t> ids, bytes, tokens;
        ids.reserve(text.size() / 3);
        splitter_.split(text, [&](std::string_view piece) {
            if (const auto* known = cache.find(piece)) {
                ids.insert(ids.end(), known->begin(), known->end());
                return;
            }
            tokens.clear();
            bytes.clear();
            for (const char byte : piece)
                bytes.push_back(vocabulary_.byte_ids[static_cast<unsigned char>(byte)]);
            merger.merge(bytes, tokens);
            ids.insert(ids.end(), tokens.begin(), tokens.end());
            cache.keep(piece, tokens);
        });
        return ids;
    }

    std::string decode(std::span<const int32_t> ids) const override {
        std::string text;
        for (const int32_t id : ids) {
            if (!knows(id))
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

}  // namespace headroom
