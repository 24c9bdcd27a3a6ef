#include "panels/base/form_words.h"

#include <regex>

namespace headroom {

std::string form_words(std::string_view problem) {
    constexpr size_t kLongest = 1000;  // what is longer quotes something: std::regex recurses in it
    if (problem.size() > kLongest) return std::string(problem);
    static const std::regex see("; see headroom .*--help$"),
        no_number("^Could not convert: --(\\S+) = (.*)$"), option("--([a-z][a-z0-9-]*)"),
        valued("--([a-z][a-z0-9-]*) (-?[0-9]|inf|-inf|nan|\")"), command("\\bheadroom [a-z]");
    std::string words = std::regex_replace(std::string(problem), see, "");
    std::smatch found;
    std::string to_copy;  // a command is for a terminal, as it is
    if (std::regex_search(words, found, command)) {
        to_copy = words.substr(static_cast<size_t>(found.position()));
        words.resize(static_cast<size_t>(found.position()));
    }
    words = std::regex_replace(words, no_number, "$1 = $2 is no such number");
    words = std::regex_replace(words, valued, "$1 = $2");
    return std::regex_replace(words, option, "$1") + to_copy;
}

}  // namespace headroom
