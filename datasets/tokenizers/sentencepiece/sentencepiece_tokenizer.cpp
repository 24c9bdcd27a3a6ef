#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "datasets/tokenizers/pipeline/vocabulary_json.h"
#include "datasets/tokenizers/sentencepiece/model_file.h"
#include "datasets/tokenizers/sentencepiece/score_merger.h"
#include "datasets/tokenizers/sentencepiece/spaces.h"
#include "datasets/tokenizers/tokenizer.h"
#include "datasets/tokenizers/unigram_path.h"

namespace headroom {
namespace {

using Kind = SentencePieceFile::Kind;
using Piece = SentencePieceFile::Piece;
using Use = SentencePieceFile::Use;
using Part = ScoreMerger::Part;

constexpr uint64_t kLargestFile = uint64_t{64} << 20;

class SentencePieceTokenizer : public Tokenizer {
  public:
    SentencePieceTokenizer(const std::string& path, const std::string& bytes)
        : spec_("sp:" + path), file_(parse_sentencepiece(bytes, "SentencePiece model " + path)) {
        const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
        hash_ = fmt::format("{:016x}", hash_bytes({data, bytes.size()}));
        kept_ = trie_of({Use::kUserDefined});
        if (file_.kind == Kind::kUnigram) {
            make_path();
        } else {
            pieces_ = trie_of({Use::kNormal, Use::kUserDefined, Use::kUnused});
        }
        const std::vector<Piece>& pieces = file_.pieces;
        for (size_t id = 0; id < pieces.size(); ++id) {
            if (pieces[id].use == Use::kControl)
                special_[pieces[id].text] = static_cast<int32_t>(id);
            if (pieces[id].use == Use::kByte)
                if (const int byte = byte_of_token(pieces[id].text); byte >= 0)
                    bytes_[static_cast<size_t>(byte)] = static_cast<int32_t>(id);
        }
    }

    std::string name() const override { return spec_; }
    int64_t vocab_size() const override { return static_cast<int64_t>(file_.pieces.size()); }
    std::map<std::string, int32_t> special_tokens() const override { return special_; }

    std::vector<int32_t> encode(std::string_view text) const override {
        const std::string normal = normalize_for_pieces(text, file_, kept_);
        std::vector<int32_t> ids;
        bool after_unknown = false;
        for (const Part& part : cut(normal)) {
            const bool unknown = part.id < 0 || part.id == file_.unknown;
            if (!unknown) {
                ids.push_back(part.id);
            } else if (file_.byte_fallback) {
                for (const char c : part.text) ids.push_back(bytes_[static_cast<unsigned char>(c)]);
            } else if (!after_unknown) {
                ids.push_back(file_.unknown);
            }
            after_unknown = unknown;
        }
        return ids;
    }

    std::string decode(std::span<const int32_t> ids) const override {
        std::string text;
        for (const int32_t id : ids) {
            if (!knows(id))
                throw UserError(fmt::format("token {} is not in the vocabulary of {}", id, spec_),
                                fmt::format("use ids below {}", vocab_size()));
            append(file_.pieces[static_cast<size_t>(id)], text);
        }
        return text;
    }

    /// As sentencepiece_processor.cc, Decode: the space that was put before a text goes, and where
    /// spaces were removed all that stand there.
    std::string decode_text(std::span<const int32_t> ids) const override {
        bool may_strip = file_.add_dummy_prefix || file_.remove_extra_spaces;
        std::string text;
        for (const int32_t id : ids) {
            const std::string piece = decode({&id, 1});
            const Use use = file_.pieces[static_cast<size_t>(id)].use;
            const bool ordinary = use == Use::kNormal || use == Use::kUserDefined;
            const bool strips = may_strip && ordinary && piece.starts_with(' ');
            text += strips ? piece.substr(1) : piece;
            if (!text.empty() || (strips && !file_.remove_extra_spaces)) may_strip = false;
        }
        return text;
    }

    nlohmann::json to_json() const override {
        return {{"kind", "sentencepiece"},
                {"spec", spec_},
                {"vocab_size", vocab_size()},
                {"hash", hash_}};
    }

  private:
    ByteTrie trie_of(std::initializer_list<Use> uses) const {
        std::vector<std::pair<std::string_view, int32_t>> keys;
        for (size_t id = 0; id < file_.pieces.size(); ++id)
            if (std::find(uses.begin(), uses.end(), file_.pieces[id].use) != uses.end())
                keys.emplace_back(file_.pieces[id].text, static_cast<int32_t>(id));
        return ByteTrie(std::move(keys));
    }

    /// Scores as unigram_model.cc of 0.2.3 has them; a user-defined piece beats whatever it is made
    /// of.
    void make_path() {
        float least = std::numeric_limits<float>::max();
        std::vector<UnigramPath::Piece> pieces;
        for (size_t id = 0; id < file_.pieces.size(); ++id) {
            const Piece& piece = file_.pieces[id];
            const double bonus = 0.1 * static_cast<double>(piece.text.size() - 1);
            if (piece.use == Use::kNormal) least = std::min(least, piece.score);
            if (piece.use == Use::kNormal || piece.use == Use::kUserDefined)
                pieces.push_back({piece.text, static_cast<int32_t>(id),
                                  piece.use == Use::kNormal ? piece.score : bonus});
        }
        path_ = UnigramPath(pieces, least - kUnknownPenalty, UnigramPath::Sums::kFloat);
    }

    std::vector<Part> cut(std::string_view normal) const {
        if (file_.kind != Kind::kUnigram)
            return ScoreMerger(file_, pieces_, kept_, file_.kind == Kind::kBpe).cut(normal);
        std::vector<Part> parts;
        for (const UnigramPath::Part& part : path_.best(normal))
            parts.push_back({normal.substr(part.start, part.end - part.start), part.id});
        return parts;
    }

    void append(const Piece& piece, std::string& text) const {
        if (piece.use == Use::kControl) return;
        if (piece.use == Use::kUnknown) {
            text += file_.unknown_surface;
            return;
        }
        if (const int byte = byte_of_token(piece.text); piece.use == Use::kByte && byte >= 0) {
            text += static_cast<char>(byte);
            return;
        }
        for (std::string_view rest = piece.text; !rest.empty();) {
            const bool space = rest.starts_with(kSpaceMark);
            text += space ? ' ' : rest.front();
            rest.remove_prefix(space ? kSpaceMark.size() : 1);
        }
    }

    std::string spec_, hash_;
    SentencePieceFile file_;
    ByteTrie kept_, pieces_;
    UnigramPath path_;
    std::array<int32_t, 256> bytes_{};  ///< with byte_fallback all are there
    std::map<std::string, int32_t> special_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& path) {
    return std::make_unique<SentencePieceTokenizer>(path, read_text(path, kLargestFile));
}

}  // namespace headroom
