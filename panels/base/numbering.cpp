#include "panels/base/numbering.h"

#include <atomic>
#include <cctype>
#include <charconv>
#include <string_view>

#include "core/base/error.h"

namespace headroom {

static std::atomic<int> base = 0;
static constexpr int kNoScope = -1;
static thread_local int scope = kNoScope;

int numbering_base() {
    return scope == kNoScope ? base.load() : scope;
}

NumberingScope::NumberingScope(int wanted) : before_(scope) {
    CHECK(wanted == 0 || wanted == 1, "counts from 0 or from 1");
    scope = wanted;
}

NumberingScope::~NumberingScope() {
    scope = before_;
}

void set_numbering_base(int wanted) {
    CHECK(wanted == 0 || wanted == 1, "counts from 0 or from 1");
    base.store(wanted);
}

std::string layer_axis_label() {
    return numbering_base() == 0 ? "layer" : "layer, counted from 0";
}

std::string in_shown_numbers(const std::string& message) {
    const auto ends_with_word = [](const std::string& text) {
        for (const std::string_view word : {"layer ", "head "})
            if (text.ends_with(word)) return true;
        return false;
    };
    std::string shown;
    for (size_t at = 0; at < message.size();) {
        int64_t index = 0;
        const auto [end, status] =
            std::from_chars(message.data() + at, message.data() + message.size(), index);
        if (status == std::errc() && index >= 0 && ends_with_word(shown)) {
            shown += std::to_string(shown_number(index));
            at = static_cast<size_t>(end - message.data());
        } else {
            shown += message[at++];
        }
    }
    return shown;
}

std::string counted_from_zero(std::string message) {
    const auto numbers = [&](std::string_view word) {
        for (size_t at = message.find(word); at != std::string::npos;
             at = message.find(word, at + 1))
            if (at + word.size() < message.size() &&
                std::isdigit(static_cast<unsigned char>(message[at + word.size()])))
                return true;
        return false;
    };
    const bool has_numbers = numbers("layer ") || numbers("head ") || numbers("h.");
    if (numbering_base() == 0 || !has_numbers) return message;
    return message + " (here layers and heads count from 0)";
}

}  // namespace headroom
