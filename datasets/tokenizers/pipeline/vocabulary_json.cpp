#include "datasets/tokenizers/pipeline/vocabulary_json.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "datasets/tokenizers/pipeline/piece_model.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

int byte_of_token(std::string_view spelling) {
    if (spelling.size() != 6 || spelling.substr(0, 3) != "<0x" || spelling[5] != '>') return -1;
    const int high = hex_digit(spelling[3]), low = hex_digit(spelling[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

JsonVocabulary read_json_vocabulary(const JsonPart& model) {
    const JsonPart list = model.part("vocab");
    JsonVocabulary vocabulary;
    for (const auto& [spelling, value] : list.raw().items()) {
        if (!value.is_number_integer())
            list.refuse(fmt::format("the id of \"{}\" is {}", spelling, shown(value)),
                        "ids are whole numbers");
        const auto id = value.get<int64_t>();
        if (id < 0 || id >= kMostTokens)
            list.refuse(fmt::format("token \"{}\" has the impossible id {}", spelling, id),
                        fmt::format("ids are below {}", kMostTokens));
        if (spelling.empty()) continue;  // never made
        const auto place = static_cast<size_t>(id);
        if (place >= vocabulary.spellings.size()) vocabulary.spellings.resize(place + 1);
        if (!vocabulary.spellings[place].empty())
            list.refuse(
                fmt::format("id {} belongs to two tokens, one of them \"{}\"", id, spelling),
                "give each its own");
        vocabulary.spellings[place] = spelling;
        vocabulary.ids[spelling] = static_cast<int32_t>(id);
    }
    return vocabulary;
}

}  // namespace headroom
