#include "app/help/command_page.h"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace headroom {
namespace {

/// The words of "TEXT:{a,b}", which is how one_of() (app/word_check.h) describes itself.
std::vector<std::string> choices_of(const std::string& type) {
    const size_t open = type.find('{'), close = type.rfind('}');
    std::vector<std::string> choices;
    if (open == std::string::npos || close == std::string::npos || close < open) return choices;
    std::string word;
    for (const char c : type.substr(open + 1, close - open - 1) + ",") {
        if (c != ',') {
            word += c;
            continue;
        }
        if (!word.empty()) choices.push_back(word);
        word.clear();
    }
    return choices;
}

/// What stands for the value: the type without its checks.
std::string value_of(const CLI::Option& option, const std::string& type) {
    if (option.get_items_expected_max() == 0) return "";
    if (!option.get_option_text().empty()) return option.get_option_text();
    const std::string plain = type.substr(0, type.find(':'));
    return plain.empty() || plain.front() == '{' ? "VALUE" : plain;
}

OptionPage describe_option(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    OptionPage page;
    for (const std::string& name : option.get_lnames()) page.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) page.names.push_back("-" + name);
    page.value = page.names.empty() ? option.get_name(true) : value_of(option, type);
    page.choices = choices_of(type);
    page.help = option.get_description();
    page.required = option.get_required();
    page.repeated = option.get_items_expected_max() > 1;
    return page;
}

/// Adds what stands in `command`, also in its groups of options, which CLI11 keeps as commands
/// without a name.
void add_contents(const CLI::App& command, CommandPage& page) {
    for (const CLI::Option* option : command.get_options())
        if (!option->get_group().empty()) page.options.push_back(describe_option(*option));
    for (const CLI::App* below : command.get_subcommands({})) {
        if (below->get_name().empty())
            add_contents(*below, page);
        else if (!below->get_group().empty())
            page.commands.push_back(describe_command(*below, page.name));
    }
}

}  // namespace

CommandPage describe_command(const CLI::App& command, const std::string& before) {
    CommandPage page;
    page.name = before.empty() ? command.get_name() : before + " " + command.get_name();
    page.help = command.get_description();
    page.footer = command.get_footer();
    add_contents(command, page);
    std::stable_partition(page.options.begin(), page.options.end(),
                          [](const OptionPage& option) { return option.positional(); });
    return page;
}

}  // namespace headroom
