#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headroom {

/// A byte-level byte-pair vocabulary as GPT-2 defines it (Radford et al. 2019, section 2.2),
/// checked.
struct BpeVocabulary {
    struct Merge {
        int32_t rank, id;  ///< smaller ranks merge first; id of the merged token
    };

    std::array<int32_t, 256> byte_ids{};
    std::vector<std::string> tokens;                ///< bytes of each id; "" for an unused id
    std::unordered_map<uint64_t, Merge> merges;     ///< by pair_key of the two ids
    std::map<std::string, int32_t> special_tokens;  ///< never made by merges

    static uint64_t pair_key(int32_t left, int32_t right) {
        return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
               static_cast<uint32_t>(right);
    }
    int64_t vocab_size() const { return static_cast<int64_t>(tokens.size()); }
    /// Identifies the vocabulary: FNV-1a over all tokens and merges.
    uint64_t hash() const;
};

/// A vocabulary file taken apart but not yet checked. Spellings use GPT-2's byte-to-unicode map
/// ("Ġthe" for " the"), special ones are literal.
struct BpeFile {
    std::string path;  ///< for messages
    std::map<std::string, int64_t> ids;
    std::vector<std::pair<std::string, std::string>> merges;  ///< by rank
    std::map<std::string, int64_t> special;
};

/// The files of such a vocabulary: encoder.json (or vocab.json) and vocab.bpe (or merges.txt).
struct Gpt2Files {
    std::filesystem::path ids, merges;
};
/// Those that the folder has. UserError where one is missing.
Gpt2Files gpt2_files(const std::filesystem::path& folder);

/// From a folder with gpt2_files(). Tokens that are
/// neither a byte nor made by a merge, such as <|endoftext|>, are special.
/// Throws UserError for whatever is missing, contradictory or too large.
BpeVocabulary load_gpt2_vocabulary(const std::string& folder);

/// Checks ids, bytes and merges and builds the tables.
BpeVocabulary build_vocabulary(const BpeFile& file);

/// GPT-2's spelling of a byte: printable ones as they are, the rest as U+0100 and up ("Ġ" for a
/// space), in UTF-8.
std::string spelling_of_byte(int byte);

/// The bytes that such a spelling stands for; none if a character of it is no byte's.
std::optional<std::string> bytes_of_spelling(std::string_view spelling);

}  // namespace headroom
