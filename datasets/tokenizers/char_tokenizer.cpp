#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

/// U+0041 'A', or the number alone where the character would not show.
std::string name_of_character(char32_t code_point) {
    std::string name = fmt::format("U+{:04X}", static_cast<uint32_t>(code_point));
    if (code_point <= ' ' || code_point == 0x7f) return name;
    name += " \"";
    append_utf8(name, code_point);
    return name + "\"";
}

class CharTokenizer : public Tokenizer {
  public:
    /// REQUIRES: sorted, distinct code points, at least one.
    explicit CharTokenizer(std::vector<char32_t> characters)
        : characters_(std::move(characters)), ids_(characters_.back() + 1, -1) {
        for (size_t id = 0; id < characters_.size(); ++id)
            ids_[characters_[id]] = static_cast<int32_t>(id);
    }

    std::string name() const override { return "char"; }
    int64_t vocab_size() const override { return static_cast<int64_t>(characters_.size()); }

    std::vector<int32_t> encode(std::string_view text) const override {
        check_utf8(text, name());
        std::vector<int32_t> ids;
        ids.reserve(text.size());
        for (size_t at = 0; at < text.size();) {
            const char32_t code_point = next_code_point(text, at);
            const int32_t id = code_point < ids_.size() ? ids_[code_point] : -1;
            if (id < 0)
                throw UserError(fmt::format("character {} does not occur in the training text, so "
                                            "the char tokenizer has no token for it",
                                            name_of_character(code_point)),
                                "use the byte tokenizer or add it to the training text");
            ids.push_back(id);
        }
        return ids;
    }

    std::string decode(std::span<const int32_t> ids) const override {
        std::string text;
        for (const int32_t id : ids) {
            if (!knows(id))
                throw UserError(fmt::format("token {} is not a character", id),
                                fmt::format("use ids from 0 to {}", vocab_size() - 1));
            append_utf8(text, characters_[static_cast<size_t>(id)]);
        }
        return text;
    }

    nlohmann::json to_json() const override {
        std::string all;
        for (const char32_t code_point : characters_) append_utf8(all, code_point);
        return {{"kind", "char"}, {"characters", all}};
    }

  private:
    std::vector<char32_t> characters_;
    std::vector<int32_t> ids_;  ///< by code point
};

}  // namespace

std::unique_ptr<Tokenizer> make_char_tokenizer(std::string_view text) {
    check_utf8(text, "char");
    if (text.empty())
        throw UserError("the char tokenizer needs a training text to take its characters from",
                        "use data.train = text:... or the byte tokenizer");
    std::vector<bool> seen(0x110000);
    for (size_t at = 0; at < text.size();) seen[next_code_point(text, at)] = true;
    std::vector<char32_t> characters;
    for (size_t c = 0; c < seen.size(); ++c)
        if (seen[c]) characters.push_back(static_cast<char32_t>(c));
    return std::make_unique<CharTokenizer>(std::move(characters));
}

}  // namespace headroom
