#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "datasets/tokenizers/pipeline/json_part.h"

namespace headroom {

/// {"token": id} of a model, checked: ids are unique and below kMostTokens.
struct JsonVocabulary {
    std::vector<std::string> spellings;  ///< by id; "" for an unused one
    std::unordered_map<std::string, int32_t> ids;

    /// -1 if there is no such token.
    int32_t id(const std::string& spelling) const {
        const auto found = ids.find(spelling);
        return found == ids.end() ? -1 : found->second;
    }
};
JsonVocabulary read_json_vocabulary(const JsonPart& model);

/// The tokens of the bytes, <0x00> to <0xFF>, or -1 each.
template <class IdOf>
std::vector<int32_t> byte_tokens(IdOf id_of) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::vector<int32_t> ids;
    for (int byte = 0; byte < 256; ++byte)
        ids.push_back(id_of(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">"));
    return ids;
}

/// The byte that <0xHH> stands for, or -1.
int byte_of_token(std::string_view spelling);

}  // namespace headroom
