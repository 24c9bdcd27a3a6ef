#include "app/help/completion.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Calls `visit` for the command and everything below it.
void walk(const CommandPage& command, const std::function<void(const CommandPage&)>& visit) {
    visit(command);
    for (const CommandPage& below : command.commands) walk(below, visit);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// Everything that may come next after a command.
std::vector<std::string> next_words(const CommandPage& command) {
    std::vector<std::string> words;
    for (const CommandPage& below : command.commands) words.push_back(below.word());
    for (const OptionPage& option : command.options) {
        words.insert(words.end(), option.names.begin(), option.names.end());
        if (option.positional())
            words.insert(words.end(), option.choices.begin(), option.choices.end());
    }
    return words;
}

/// Text between single quotes of a shell.
std::string quoted(const std::string& text) {
    std::string made = "'";
    for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return made + "'";
}

/// Two functions that know the commands: what may follow one, and the values of its options.
std::string shell_tables(const CommandPage& program) {
    std::string words, values;
    walk(program, [&](const CommandPage& command) {
        words += fmt::format("        {}) echo {} ;;\n", quoted(command.name),
                             quoted(joined(next_words(command))));
        for (const OptionPage& option : command.options)
            for (const std::string& name : option.names)
                if (!option.value.empty())
                    values +=
                        fmt::format("        {}) echo {} ;;\n", quoted(command.name + " " + name),
                                    quoted(joined(option.choices)));
    });
    return fmt::format(R"(_headroom_words() {{
    case "$1" in
{}    esac
}}

# Says the values of an option, nothing where any file may stand; fails for what takes no value.
_headroom_values() {{
    case "$1" in
{}        *) return 1 ;;
    esac
}}
)",
                       words, values);
}

constexpr const char* kBash = R"bash(
_headroom() {
    local cur=${COMP_WORDS[COMP_CWORD]} command=headroom option= word words i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ -n $option ]]; then
            option=
        elif [[ $word == -* ]]; then
            _headroom_values "$command $word" >/dev/null && option=$word
        elif [[ -n $(_headroom_words "$command $word") ]]; then
            command="$command $word"
        fi
    done
    if [[ -n $option ]]; then
        words=$(_headroom_values "$command $option")
    else
        words=$(_headroom_words "$command")
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [[ ${#COMPREPLY[@]} -eq 0 && ( -z $option || -z $words ) ]]; then
        compopt -o filenames 2>/dev/null
        local IFS=$'\n'
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -F _headroom headroom
)bash";

constexpr const char* kZsh = R"zsh(
_headroom() {
    local command=headroom option= word
    local -a known
    local i
    for ((i = 2; i < CURRENT; ++i)); do
        word=${words[i]}
        if [[ -n $option ]]; then
            option=
        elif [[ $word == -* ]]; then
            _headroom_values "$command $word" >/dev/null && option=$word
        elif [[ -n $(_headroom_words "$command $word") ]]; then
            command="$command $word"
        fi
    done
    if [[ -n $option ]]; then
        known=(${(s: :)"$(_headroom_values "$command $option")"})
        if ((${#known})); then compadd -- $known; else _files; fi
    else
        known=(${(s: :)"$(_headroom_words "$command")"})
        compadd -- $known
        _files
    fi
}
if [[ $funcstack[1] == _headroom ]]; then _headroom "$@"; else compdef _headroom headroom; fi
)zsh";

/// An option's line for fish, after the condition under which it may stand.
std::string fish_option(const std::string& when, const OptionPage& option) {
    std::string line = when;
    for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + quoted(name.substr(2))
                                       : " -s " + quoted(name.substr(1));
    if (!option.value.empty()) line += option.choices.empty() ? " -r" : " -x";
    if (!option.choices.empty()) line += " -a " + quoted(joined(option.choices));
    return line + " -d " + quoted(option.help) + "\n";
}

/// fish has its own way: a line for each word, with the command that must stand before it.
std::string fish_lines(const CommandPage& program) {
    std::string text;
    walk(program, [&](const CommandPage& command) {
        const std::string when =
            fmt::format("complete -c headroom -n \"_headroom_at {}\"", quoted(command.name));
        for (const CommandPage& below : command.commands)
            text +=
                fmt::format("{} -f -a {} -d {}\n", when, quoted(below.word()), quoted(below.help));
        for (const OptionPage& option : command.options)
            if (!option.positional()) text += fish_option(when, option);
    });
    return text;
}

constexpr const char* kFish = R"fish(
# Whether the words before the cursor lead to this command.
function _headroom_at
    set -l command headroom
    set -l option
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option
        else if string match -q -- '-*' $word
            _headroom_values "$command $word"; and set option $word
        else if contains -- "$command $word" $_headroom_commands
            set command "$command $word"
        end
    end
    test "$command" = "$argv[1]"
end
)fish";

std::string fish_script(const CommandPage& program) {
    std::string commands = "set -g _headroom_commands", valued = "set -g _headroom_valued";
    walk(program, [&](const CommandPage& command) {
        commands += " " + quoted(command.name);
        for (const OptionPage& option : command.options)
            for (const std::string& name : option.names)
                if (!option.value.empty()) valued += " " + quoted(command.name + " " + name);
    });
    return commands + "\n" + valued +
           "\nfunction _headroom_values\n    contains -- $argv[1] $_headroom_valued\nend\n" +
           kFish + "\n" + fish_lines(program);
}

}  // namespace

std::string completion_script(const CommandPage& program, const std::string& shell) {
    if (shell == "bash") return "# Completes headroom in bash.\n" + shell_tables(program) + kBash;
    if (shell == "zsh") return "#compdef headroom\n" + shell_tables(program) + kZsh;
    if (shell == "fish") return "# Completes headroom in fish.\n" + fish_script(program);
    throw UserError("\"" + shell + "\" is no shell that can be completed in",
                    "use bash, zsh or fish");
}

}  // namespace headroom
