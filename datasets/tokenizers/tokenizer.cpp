#include "datasets/tokenizers/tokenizer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {

std::unique_ptr<Tokenizer> open_tokenizer(const std::string& spec,
                                          std::string_view /*training_text*/) {
    if (spec == "byte") return make_byte_tokenizer();
    const std::vector<std::string> known{"byte"};
    throw UserError(
        fmt::format("data.tokenizer: \"{}\" is not a tokenizer{}", spec, suggestion(spec, known)),
        "write byte, char, gpt2:FOLDER or json:FILE");
}

int32_t end_of_text(const Tokenizer& tokenizer) {
    const std::map<std::string, int32_t> special = tokenizer.special_tokens();
    const auto found = special.find("<|endoftext|>");
    return found == special.end() ? -1 : found->second;
}

}  // namespace headroom
