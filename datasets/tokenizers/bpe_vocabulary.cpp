#include "datasets/tokenizers/bpe_vocabulary.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

[[noreturn]] void refuse(const BpeFile& file, const std::string& what) {
    throw UserError(fmt::format("vocabulary {}: {}", file.path, what),
                    "use the files of the GPT-2 release or a tokenizer.json made from them");
}

bool prints_itself(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

char32_t code_point_of_byte(unsigned byte) {
    if (prints_itself(byte)) return byte;
    char32_t position = 0;
    for (unsigned smaller = 0; smaller < byte; ++smaller) position += !prints_itself(smaller);
    return 0x100 + position;
}

/// Byte of each code point below 324, or -1.
const std::array<int, 324>& bytes_of_spellings() {
    static const std::array<int, 324> table = [] {
        std::array<int, 324> bytes{};
        bytes.fill(-1);
        for (int byte = 0; byte < 256; ++byte)
            bytes[code_point_of_byte(static_cast<unsigned>(byte))] = byte;
        return bytes;
    }();
    return table;
}

/// Puts one token into its place; two tokens may not share an id.
void place(BpeVocabulary& vocabulary, const BpeFile& file, int64_t id, const std::string& bytes,
           const std::string& spelling) {
    if (id < 0 || id >= kMostTokens)
        refuse(file, fmt::format("token \"{}\" has the impossible id {}", spelling, id));
    if (id >= vocabulary.vocab_size()) vocabulary.tokens.resize(static_cast<size_t>(id) + 1);
    std::string& slot = vocabulary.tokens[static_cast<size_t>(id)];
    if (!slot.empty() && slot != bytes)
        refuse(file, fmt::format("id {} belongs to two tokens, one of them \"{}\"", id, spelling));
    slot = bytes;
}

void place_tokens(BpeVocabulary& vocabulary, const BpeFile& file) {
    if (static_cast<int64_t>(file.ids.size()) > kMostTokens) refuse(file, "has too many tokens");
    for (const auto& [spelling, id] : file.ids) {
        if (file.special.count(spelling)) continue;
        const std::optional<std::string> bytes = bytes_of_spelling(spelling);
        if (!bytes) refuse(file, fmt::format("token \"{}\" is not in GPT-2's spelling", spelling));
        place(vocabulary, file, id, *bytes, spelling);
    }
    for (const auto& [spelling, id] : file.special) {
        if (spelling.empty()) refuse(file, "a special token is empty");
        if (const auto same = file.ids.find(spelling); same != file.ids.end() && same->second != id)
            refuse(file, fmt::format("special token \"{}\" has two ids", spelling));
        place(vocabulary, file, id, spelling, spelling);
        vocabulary.special_tokens[spelling] = static_cast<int32_t>(id);
    }
}

void place_bytes(BpeVocabulary& vocabulary, const BpeFile& file) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string spelling = spelling_of_byte(byte);
        const auto found = file.ids.find(spelling);
        if (found == file.ids.end() || file.special.count(spelling))
            refuse(file, fmt::format("byte {} (\"{}\") has no token", byte, spelling));
        vocabulary.byte_ids[static_cast<size_t>(byte)] = static_cast<int32_t>(found->second);
    }
}

int32_t id_of(const BpeFile& file, const std::string& spelling, size_t rank) {
    const auto found = file.ids.find(spelling);
    if (found == file.ids.end() || file.special.count(spelling))
        refuse(file, fmt::format("merge {} uses \"{}\", which is not a token", rank, spelling));
    return static_cast<int32_t>(found->second);
}

}  // namespace

std::string spelling_of_byte(int byte) {
    std::string spelling;
    append_utf8(spelling, code_point_of_byte(static_cast<unsigned>(byte)));
    return spelling;
}

std::optional<std::string> bytes_of_spelling(std::string_view spelling) {
    std::string bytes;
    if (spelling.empty() || find_invalid_utf8(spelling) != std::string_view::npos) return {};
    for (size_t at = 0; at < spelling.size();) {
        const char32_t c = next_code_point(spelling, at);
        const int byte = c < 324 ? bytes_of_spellings()[c] : -1;
        if (byte < 0) return {};
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

BpeVocabulary build_vocabulary(const BpeFile& file) {
    BpeVocabulary vocabulary;
    place_tokens(vocabulary, file);
    place_bytes(vocabulary, file);
    if (static_cast<int64_t>(file.merges.size()) > kMostTokens) refuse(file, "has too many merges");
    vocabulary.merges.reserve(file.merges.size());
    for (size_t rank = 0; rank < file.merges.size(); ++rank) {
        const auto& [left, right] = file.merges[rank];
        const uint64_t key =
            BpeVocabulary::pair_key(id_of(file, left, rank), id_of(file, right, rank));
        const BpeVocabulary::Merge merge{static_cast<int32_t>(rank),
                                         id_of(file, left + right, rank)};
        if (!vocabulary.merges.emplace(key, merge).second)
            refuse(file, fmt::format("merge {} (\"{} {}\") stands there twice", rank, left, right));
    }
    return vocabulary;
}

uint64_t BpeVocabulary::hash() const {
    const auto add = [](uint64_t seed, std::string_view text) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
        return hash_bytes({bytes, text.size()}, hash_bytes(std::array<unsigned char, 1>{0}, seed));
    };
    uint64_t all = kHashSeed, merged = 0;
    for (const std::string& token : tokens) all = add(all, token);
    for (const auto& [key, merge] : merges)  // order-free: the table has none
        merged += add(kHashSeed, fmt::format("{} {} {}", key, merge.rank, merge.id));
    for (const auto& [spelling, id] : special_tokens) all = add(all, spelling);
    return add(all, fmt::format("{}", merged));
}

}  // namespace headroom
