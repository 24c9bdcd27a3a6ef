#include "app/word_check.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/study/study_templates.h"
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

CLI::Option* add_scale_option(CLI::App& command, std::string& scale) {
    const auto last = kTemplateScales.end() - 1;
    return command
        .add_option("--scale", scale,
                    fmt::format("Of the template: {} or {}",
                                fmt::join(kTemplateScales.begin(), last, ", "), *last))
        ->capture_default_str();
}

}  // namespace headroom
