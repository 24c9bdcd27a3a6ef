#include "datasets/tokenizers/pipeline/bpe_model.h"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/utf8.h"
#include "datasets/tokenizers/bpe_merger.h"
#include "datasets/tokenizers/pipeline/vocabulary_json.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

using nlohmann::json;

void check_options(const JsonPart& model) {
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (!model.text(key).empty())
            model.refuse(fmt::format("{} is \"{}\"", key, model.text(key)),
                         "only models without marks inside of words are read");
    const json* dropout = model.find("dropout");
    if (dropout != nullptr && *dropout != 0.0)
        model.refuse(fmt::format("dropout is {}", shown(*dropout)), "set it to null");
}

std::pair<std::string, std::string> merge_of(const json& item, size_t rank, const JsonPart& model) {
    if (item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_string())
        return {item[0].get<std::string>(), item[1].get<std::string>()};
    if (item.is_string()) {
        const auto& line = item.get_ref<const std::string&>();
        const size_t space = line.find(' ');
        if (space != std::string::npos && space > 0 && space + 1 < line.size() &&
            line.find(' ', space + 1) == std::string::npos)
            return {line.substr(0, space), line.substr(space + 1)};
    }
    model.refuse(fmt::format("merge {} is {}", rank, shown(item)),
                 "expect \"a b\" or [\"a\", \"b\"]");
}

BpeMerger::Merges read_merges(const JsonPart& model, const JsonVocabulary& vocabulary) {
    const json* list = model.find("merges");
    if (list == nullptr || !list->is_array() || list->size() > kMostTokens)
        model.refuse("merges is not a list", "expect [\"a b\", ...] or [[\"a\", \"b\"], ...]");
    BpeMerger::Merges merges;
    merges.reserve(list->size());
    const auto id_of = [&](const std::string& spelling, size_t rank) {
        const int32_t id = vocabulary.id(spelling);
        if (id < 0)
            model.refuse(fmt::format("merge {} uses \"{}\", which is not a token", rank, spelling),
                         "take vocab and merges from one file");
        return id;
    };
    for (size_t rank = 0; rank < list->size(); ++rank) {
        const auto [left, right] = merge_of((*list)[rank], rank, model);
        merges[BpeVocabulary::pair_key(id_of(left, rank), id_of(right, rank))] = {
            static_cast<int32_t>(rank), id_of(left + right, rank)};  // of two, the later counts
    }
    return merges;
}

class BpeModel : public PieceModel {
  public:
    BpeModel(const JsonPart& model, bool byte_level)
        : vocabulary_(read_json_vocabulary(model)),
          merges_(read_merges(model, vocabulary_)),
          whole_first_(model.flag("ignore_merges", false)),
          byte_level_(byte_level) {
        check_options(model);
        byte_level ? read_bytes(model) : read_characters(model);
        if (whole_first_) {
            for (const auto& [spelling, id] : vocabulary_.ids)
                if (!byte_level)
                    whole_[spelling] = id;
                else if (const auto bytes = bytes_of_spelling(spelling))
                    whole_[*bytes] = id;
        }
    }

    const std::vector<std::string>& spellings() const override { return vocabulary_.spellings; }

    void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
        if (whole_first_) {
            if (const auto found = whole_.find(std::string(piece)); found != whole_.end()) {
                ids.push_back(found->second);
                return;
            }
        }
        std::vector<int32_t> tokens;
        tokens.reserve(piece.size());
        byte_level_ ? add_bytes(piece, tokens) : add_characters(piece, tokens);
        BpeMerger(merges_).merge(tokens, ids);
    }

  private:
    /// Bytes that no UTF-8 has may be without a token.
    void read_bytes(const JsonPart& model) {
        for (int byte = 0; byte < 256; ++byte) {
            const int32_t id = vocabulary_.id(spelling_of_byte(byte));
            const bool never = byte == 0xc0 || byte == 0xc1 || byte > 0xf4;
            if (id < 0 && !never)
                model.refuse(
                    fmt::format("byte {} (\"{}\") has no token", byte, spelling_of_byte(byte)),
                    "use a vocabulary with all bytes");
            bytes_.push_back(id);
        }
    }

    void read_characters(const JsonPart& model) {
        for (const auto& [spelling, id] : vocabulary_.ids) {
            size_t at = 0;
            const char32_t c = next_code_point(spelling, at);
            if (at == spelling.size()) characters_[c] = id;
        }
        if (model.flag("byte_fallback", false))
            bytes_ = byte_tokens([&](const std::string& name) { return vocabulary_.id(name); });
        fuses_unknown_ = model.flag("fuse_unk", false);
        if (!model.has("unk_token")) return;
        unknown_ = vocabulary_.id(model.text("unk_token"));
        if (unknown_ < 0)
            model.refuse(fmt::format("unk_token \"{}\" is not a token", model.text("unk_token")),
                         "add it to vocab");
    }

    void add_bytes(std::string_view piece, std::vector<int32_t>& tokens) const {
        for (const char byte : piece) tokens.push_back(bytes_[static_cast<unsigned char>(byte)]);
    }

    /// The bytes of a character, if all of them have tokens.
    bool add_fallback(std::string_view character, std::vector<int32_t>& tokens) const {
        if (bytes_.empty()) return false;
        for (const char byte : character)
            if (bytes_[static_cast<unsigned char>(byte)] < 0) return false;
        add_bytes(character, tokens);
        return true;
    }

    /// As Hugging Face's merge_word: an unknown token waits for the next character that is known.
    void add_characters(std::string_view piece, std::vector<int32_t>& tokens) const {
        bool waits = false;
        for (size_t at = 0; at < piece.size();) {
            const size_t start = at;
            const auto known = characters_.find(next_code_point(piece, at));
            if (known != characters_.end()) {
                if (std::exchange(waits, false)) tokens.push_back(unknown_);
                tokens.push_back(known->second);
            } else if (!add_fallback(piece.substr(start, at - start), tokens) && unknown_ >= 0) {
                if (waits && !fuses_unknown_) tokens.push_back(unknown_);
                waits = true;
            }
        }
        if (waits) tokens.push_back(unknown_);
    }

    JsonVocabulary vocabulary_;
    BpeMerger::Merges merges_;
    bool whole_first_, byte_level_;
    std::unordered_map<std::string, int32_t> whole_;  ///< whole pieces, where they come first
    std::unordered_map<char32_t, int32_t> characters_;
    std::vector<int32_t> bytes_;  ///< of each byte, -1 for none; empty without byte_fallback
    int32_t unknown_ = -1;
    bool fuses_unknown_ = false;
};

}  // namespace

std::unique_ptr<PieceModel> make_bpe_model(const JsonPart& model, bool byte_level) {
    return std::make_unique<BpeModel>(model, byte_level);
}

}  // namespace headroom
