#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headroom {

/// An option or a positional argument of a command, as its definition says.
struct OptionPage {
    std::vector<std::string> names;    ///< "--out", "-o"; none for a positional argument
    std::string value;                 ///< "FILE" or the argument's own name; "" for a flag
    std::vector<std::string> choices;  ///< where only some words are right
    std::string help;
    bool required = false, repeated = false;

    bool positional() const { return names.empty(); }
};

/// A command with everything below it: what help pages and completions are made of.
struct CommandPage {
    std::string name;  ///< with all words before it: "headroom study run"
    std::string help, footer;
    std::vector<OptionPage> options;  ///< positional arguments first
    std::vector<CommandPage> commands;

    /// The last word of its name.
    std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

/// Reads a command from its definition; `before` are the words that lead to it. Hidden options and
/// commands are left out.
CommandPage describe_command(const CLI::App& command, const std::string& before = "");

}  // namespace headroom
