#include "app/help/man_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/build_info.h"
#include "core/base/file.h"

namespace headroom {
namespace {

/// Text in which man sees neither commands nor typographic hyphens.
std::string plain(const std::string& text) {
    std::string made;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) made += "\\&";
        if (c == '\\')
            made += "\\e";
        else if (c == '-')
            made += "\\-";
        else
            made += c;
        at_start = c == '\n';
    }
    return made;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// "headroom study" names the page headroom-study.
std::string page_name(const CommandPage& command) {
    std::string name = command.name;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

/// No date: the same sources make the same page.
std::string heading(const CommandPage& command, const std::string& summary) {
    return fmt::format(".TH {} 1 \"\" \"headroom {}\" \"Headroom\"\n.SH NAME\n{} \\- {}\n",
                       plain(upper(page_name(command))), plain(version_number()),
                       plain(page_name(command)), plain(summary));
}

std::string choices(const OptionPage& option) {
    if (option.choices.empty()) return "";
    std::string text;
    for (const std::string& choice : option.choices) text += (text.empty() ? "" : ", ") + choice;
    return " One of " + text + ".";
}

std::string synopsis(const CommandPage& command) {
    std::string text = fmt::format(".B {}\n", plain(command.name));
    if (!command.commands.empty()) text += "[\\fICOMMAND\\fR]\n";
    text += "[\\fIOPTIONS\\fR]\n";
    for (const OptionPage& option : command.options) {
        if (!option.positional()) continue;
        const std::string name =
            fmt::format("\\fI{}\\fR{}", plain(option.value), option.repeated ? " \\&..." : "");
        text += option.required ? name + "\n" : "[" + name + "]\n";
    }
    return text;
}

std::string option_paragraph(const OptionPage& option) {
    std::string names;
    for (const std::string& name : option.names)
        names += (names.empty() ? "\\fB" : ", \\fB") + plain(name) + "\\fR";
    const std::string value =
        option.value.empty() ? "" : fmt::format("\\fI{}\\fR", plain(option.value));
    const std::string both = names + (names.empty() || value.empty() ? "" : " ") + value;
    const std::string more = choices(option) + (option.required ? " Required." : "");
    std::string help = option.help.empty() ? "No more is said" : option.help;
    if (!more.empty() && help.back() != '.') help += ".";
    help += more;
    return fmt::format(".TP\n{}\n{}\n", both, plain(help));
}

std::string options_text(const CommandPage& command) {
    std::string text;
    for (const OptionPage& option : command.options) text += option_paragraph(option);
    return text;
}

/// A section for each command below, however deep.
std::string commands_below(const CommandPage& command) {
    std::string text;
    for (const CommandPage& below : command.commands) {
        text += fmt::format(".SH {}\n{}\n.PP\n{}", plain(upper(below.name)), plain(below.help),
                            synopsis(below));
        if (!below.footer.empty()) text += fmt::format(".PP\n{}\n", plain(below.footer));
        text += options_text(below) + commands_below(below);
    }
    return text;
}

}  // namespace

std::string man_of_command(const CommandPage& command) {
    std::string text = heading(command, command.help) + ".SH SYNOPSIS\n" + synopsis(command);
    if (!command.footer.empty()) text += ".SH DESCRIPTION\n" + plain(command.footer) + "\n";
    text += ".SH OPTIONS\n" + options_text(command) + commands_below(command);
    return text + ".SH SEE ALSO\n.BR headroom (1)\n";
}

std::string man_of_program(const CommandPage& program) {
    std::string text = heading(program, "study Transformer attention side by side") +
                       ".SH SYNOPSIS\n.B headroom\n[\\fISTUDY_DIR\\fR | \\fICHECKPOINT\\fR]\n.br\n"
                       ".B headroom\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n" +
                       plain(program.help) + "\n" + plain(program.footer) + "\n.SH OPTIONS\n" +
                       options_text(program) + ".SH COMMANDS\n";
    std::string also;
    for (const CommandPage& command : program.commands) {
        text +=
            fmt::format(".TP\n.BR {} (1)\n{}\n", plain(page_name(command)), plain(command.help));
        also += fmt::format(".BR {} (1){}\n", plain(page_name(command)),
                            &command == &program.commands.back() ? "" : ",");
    }
    text +=
        ".SH EXIT STATUS\n0 done, 1 failed while running, 2 wrong usage or bad input. An error "
        "is one line on standard error that says what was wrong and how to mend it.\n";
    return text + ".SH SEE ALSO\n" + also;
}

void write_man_pages(const CommandPage& program, const std::filesystem::path& folder) {
    make_folder(folder);
    write_file_atomically(folder / (page_name(program) + ".1"), man_of_program(program));
    for (const CommandPage& command : program.commands)
        write_file_atomically(folder / (page_name(command) + ".1"), man_of_command(command));
}

}  // namespace headroom
