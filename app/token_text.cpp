#include "app/token_text.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

std::string token_text(const Tokenizer& tokenizer, int32_t id) {
    if (!tokenizer.knows(id)) return {};
    std::string bytes = tokenizer.decode({&id, 1});
    try {
        check_utf8(bytes, "");
        return bytes;
    } catch (const UserError&) {
        std::string escaped;
        for (const char c : bytes)
            escaped += static_cast<unsigned char>(c) < 0x80
                           ? std::string(1, c)
                           : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        return escaped;
    }
}

}  // namespace headroom
