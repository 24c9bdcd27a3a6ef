#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/piece_cache.h"
#include "datasets/tokenizers/pipeline/added_tokens.h"
#include "datasets/tokenizers/pipeline/bpe_model.h"
#include "datasets/tokenizers/pipeline/decoder.h"
#include "datasets/tokenizers/pipeline/json_part.h"
#include "datasets/tokenizers/pipeline/normalizer.h"
#include "datasets/tokenizers/pipeline/pre_tokenizer.h"
#include "datasets/tokenizers/pipeline/template_tokens.h"
#include "datasets/tokenizers/pipeline/unigram_model.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

using nlohmann::json;

std::unique_ptr<PieceModel> read_model(const JsonPart& model, bool byte_level) {
    const std::string type = model.text("type", model.has("merges") ? "BPE" : "");
    if (type == "BPE") return make_bpe_model(model, byte_level);
    if (type != "Unigram")
        model.refuse(fmt::format("its type is \"{}\"", type), "only BPE and Unigram are read");
    if (byte_level) model.refuse("it is Unigram behind ByteLevel", "only BPE is read there");
    return make_unigram_model(model);
}

/// A part of the file that may be absent.
template <class Part>
Part read_part(const JsonPart& file, const char* key) {
    return file.has(key) ? Part(file.part(key)) : Part();
}

/// Identifies what the file says: FNV-1a over it, whatever its layout; how to cut and to fill up
/// batches is not this program's business.
std::string hash_of(json document) {
    for (const char* key : {"truncation", "padding"})
        if (document.is_object()) document.erase(key);
    const std::string text = dump_text(document);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return fmt::format("{:016x}", hash_bytes({bytes, text.size()}));
}

class JsonTokenizer : public Tokenizer {
  public:
    JsonTokenizer(const std::string& path, const json& document)
        : spec_("json:" + path), hash_(hash_of(document)) {
        const JsonPart file(document, "tokenizer " + path);
        normalizer_ = read_part<Normalizer>(file, "normalizer");
        pre_tokenizer_ = read_part<PreTokenizer>(file, "pre_tokenizer");
        model_ = read_model(file.part("model"), pre_tokenizer_.is_byte_level());
        added_ = AddedTokens(read_added_tokens(file), normalizer_);
        decoder_ = read_part<TokenDecoder>(file, "decoder");
        if (file.has("post_processor")) template_ = read_template(file.part("post_processor"));
        read_vocabulary(file);
        check_template(file);
    }

    std::string name() const override { return spec_; }
    int64_t vocab_size() const override { return static_cast<int64_t>(bytes_.size()); }
    bool knows(int32_t id) const override {
        return Tokenizer::knows(id) && used_[static_cast<size_t>(id)];
    }
    std::map<std::string, int32_t> special_tokens() const override { return special_; }
    std::vector<int32_t> tokens_before() const override { return template_.before; }
    std::vector<int32_t> tokens_behind() const override { return template_.behind; }

    std::vector<int32_t> encode(std::string_view text) const override { return run(text, false); }
    std::vector<int32_t> encode_special(std::string_view text) const override {
        return run(text, true);
    }

    std::string decode(std::span<const int32_t> ids) const override {
        std::string text;
        for (const int32_t id : ids) {
            if (!knows(id))
                throw UserError(fmt::format("token {} is not in the vocabulary of {}", id, spec_),
                                fmt::format("use ids below {}", vocab_size()));
            text += bytes_[static_cast<size_t>(id)];
        }
        return text;
    }

    std::string decode_text(std::span<const int32_t> ids) const override {
        std::string text = decode(ids);
        if (decoder_.strips_first_space() && text.starts_with(' ')) text.erase(0, 1);
        return text;
    }

    nlohmann::json to_json() const override {
        return {{"kind", "tokenizer_json"},
                {"spec", spec_},
                {"vocab_size", vocab_size()},
                {"hash", hash_}};
    }

  private:
    void put(int32_t id, std::string bytes) {
        const auto place = static_cast<size_t>(id);
        if (place >= bytes_.size()) {
            bytes_.resize(place + 1);
            used_.resize(place + 1, false);
        }
        bytes_[place] = std::move(bytes);
        used_[place] = true;
    }

    void read_vocabulary(const JsonPart& file) {
        const std::vector<std::string>& spellings = model_->spellings();
        std::map<std::string_view, int32_t> ids;
        for (size_t id = 0; id < spellings.size(); ++id) {
            if (spellings[id].empty()) continue;
            ids[spellings[id]] = static_cast<int32_t>(id);
            put(static_cast<int32_t>(id), decoder_.bytes_of(spellings[id]));
        }
        for (const AddedToken& token : added_.all()) {
            const auto known = ids.find(token.content);
            const auto place = static_cast<size_t>(token.id);
            const bool taken = place < spellings.size() && !spellings[place].empty() &&
                               spellings[place] != token.content;
            if (taken || (known != ids.end() && known->second != token.id))
                file.refuse(fmt::format("added token \"{}\" has an id that is not its own, {}",
                                        token.content, token.id),
                            "give it the one of the vocabulary");
            put(token.id, token.content);
            if (token.special) special_[token.content] = token.id;
        }
    }

    void check_template(const JsonPart& file) const {
        for (const auto* ids : {&template_.before, &template_.behind})
            for (const int32_t id : *ids)
                if (id >= vocab_size())
                    file.refuse(fmt::format("post_processor adds the token {}", id),
                                fmt::format("ids are below {}", vocab_size()));
    }

    std::vector<int32_t> run(std::string_view text, bool with_special) const {
        check_utf8(text, spec_);
        // Whoever comes second works with an empty cache of its own rather than wait.
        const std::unique_lock lock(cache_mutex_, std::try_to_lock);
        PieceCache own;
        PieceCache& cache = lock.owns_lock() ? cache_ : own;
        std::vector<int32_t> ids;
        ids.reserve(text.size() / 3);
        added_.split_raw(text, with_special, [&](std::string_view part, int32_t id, bool starts) {
            if (id >= 0) return ids.push_back(id);
            normalizer_.empty()
                ? encode_normal(part, starts, with_special, cache, ids)
                : encode_normal(normalizer_.apply(part), starts, with_special, cache, ids);
        });
        return ids;
    }

    void encode_normal(std::string_view text, bool starts_text, bool with_special,
                       PieceCache& cache, std::vector<int32_t>& ids) const {
        added_.split_normalized(
            text, with_special, [&](std::string_view part, int32_t id, bool starts) {
                if (id >= 0) return ids.push_back(id);
                pre_tokenizer_.split(part, starts_text && starts, [&](std::string_view piece) {
                    encode_piece(piece, cache, ids);
                });
            });
    }

    void encode_piece(std::string_view piece, PieceCache& cache, std::vector<int32_t>& ids) const {
        if (const auto* known = cache.find(piece)) {
            ids.insert(ids.end(), known->begin(), known->end());
            return;
        }
        const size_t before = ids.size();
        model_->encode(piece, ids);
        cache.keep(piece, {ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end()});
    }

    std::string spec_, hash_;
    Normalizer normalizer_;
    PreTokenizer pre_tokenizer_;
    std::unique_ptr<PieceModel> model_;
    AddedTokens added_;
    TokenDecoder decoder_;
    TemplateTokens template_;
    std::vector<std::string> bytes_;  ///< what each id decodes to
    std::vector<bool> used_;          ///< whether the id is a token
    std::map<std::string, int32_t> special_;
    mutable std::mutex cache_mutex_;
    mutable PieceCache cache_;  ///< guarded by cache_mutex_
};

}  // namespace

std::unique_ptr<Tokenizer> make_json_tokenizer(const std::string& path) {
    return std::make_unique<JsonTokenizer>(path, load_json(path));
}

}  // namespace headroom
