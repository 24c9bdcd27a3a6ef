#include "app/token_list.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

std::vector<int32_t> parse_token_list(const std::string& text) {
    std::vector<int32_t> tokens;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string number = text.substr(begin, end - begin);
        int32_t token = 0;
        const auto [stop, error] =
            std::from_chars(number.data(), number.data() + number.size(), token);
        if (error != std::errc() || stop != number.data() + number.size())
            throw UserError(fmt::format("--tokens {}: \"{}\" is not a token id", text, number),
                            "give whole numbers separated by commas, such as 1,2,3");
        tokens.push_back(token);
        begin = end + 1;
    }
    return tokens;
}

}  // namespace headroom
