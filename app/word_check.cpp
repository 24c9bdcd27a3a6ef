#include "app/word_check.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/nearest.h"
#include "core/config/schema.h"

namespace headroom {

CLI::Validator one_of(std::vector<std::string> words, LetterCase letters) {
    // In braces, as CLI11 describes sets of its own: help/command_page.cpp reads them there.
    const std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
    const auto problem = [words = std::move(words), letters](const std::string& word) {
        const bool known = std::any_of(words.begin(), words.end(), [&](const std::string& each) {
            return each == word || (letters == LetterCase::kIgnored &&
                                    CLI::detail::to_lower(each) == CLI::detail::to_lower(word));
        });
        return known ? "" : fmt::format("{} is not known{}", word, suggestion(word, words));
    };
    return {problem, description};
}

CLI::Option* add_device_option(CLI::App& command, std::string& device, const std::string& help) {
    return command.add_option("--device", device, help)
        ->check(one_of(find_field("device")->choices));
}

}  // namespace headroom
