#include <cstdio>
#include <functional>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/figure/figure_main.h"
#include "app/help/completion.h"
#include "app/help/man_page.h"
#include "app/help/program_tree.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

void walk(const CommandPage& command, const std::function<void(const CommandPage&)>& visit) {
    visit(command);
    for (const CommandPage& below : command.commands) walk(below, visit);
}

/// `text` as man(7) spells it.
std::string spelt(std::string text) {
    for (size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2))
        text.insert(at, "\\");
    return text;
}

/// The words that `command --help` prints as options or commands: the first of an indented line.
std::set<std::string> words_of_help(const CommandPage& command) {
    std::vector<std::string> args;
    std::string name = command.name.substr(std::string("headroom").size()) + " --help";
    for (size_t at = 0; at < name.size();) {
        const size_t end = std::min(name.find(' ', at), name.size());
        if (end > at) args.push_back(name.substr(at, end - at));
        at = end + 1;
    }
    const std::string help = headroom(args).out;
    std::set<std::string> words;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
        const size_t begin = line.find_first_not_of(' ');
        if (begin != 2 && begin != 4) continue;  // a heading, or a line that goes on
        std::string word = line.substr(begin, line.find(' ', begin) - begin);
        const size_t comma = word.find(',');
        if (word.starts_with('-') && comma != std::string::npos) word = word.substr(comma + 1);
        if (word != "Options:" && !word.starts_with('[')) words.insert(word);  // of a group
    }
    return words;
}

std::string bash_answers(const std::string& words) {
    const TemporaryFolder place;
    write_file_atomically(place / "script", completion_script(whole_program_tree(), "bash"));
    const std::string line = "bash -c 'cd " + place.path().string() +
                             "; source ./script; COMP_WORDS=(headroom " + words +
                             " \"\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _headroom; "
                             "echo ${COMPREPLY[@]}'";
    FILE* pipe = popen(line.c_str(), "r");
    std::string said;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0);
    return " " + said.substr(0, said.size() - 1) + " ";
}

TEST(CommandTree, HasEveryWordOfEveryHelpText) {
    int commands = 0, words = 0;
    walk(program_tree(), [&](const CommandPage& command) {
        if (command.name == "headroom figure") return;  // the studio's
        std::set<std::string> known;
        for (const CommandPage& below : command.commands) known.insert(below.word());
        for (const OptionPage& option : command.options) {
            if (option.positional()) known.insert(option.value);
            known.insert(option.names.begin(), option.names.end());
        }
        ++commands;
        for (std::string word : words_of_help(command)) {
            while (!word.empty() && (word.back() == ',' || word.back() == ':')) word.pop_back();
            EXPECT_TRUE(known.contains(word)) << command.name << ": " << word;
            ++words;
        }
    });
    EXPECT_GT(commands, 50);
    EXPECT_GT(words, 300);
}

TEST(CommandTree, HoldsTheRecipesOfFigures) {
    std::set<std::string> names;
    walk(whole_program_tree(), [&](const CommandPage& command) { names.insert(command.name); });
    for (const char* name : {"headroom figure loss", "headroom figure table", "headroom study run"})
        EXPECT_TRUE(names.contains(name)) << name;
}

TEST(ManPages, SayEveryCommandAndOption) {
    const CommandPage program = whole_program_tree();
    const TemporaryFolder folder;
    write_man_pages(program, folder / "man");
    const std::string first = read_text(folder / "man/headroom.1");
    for (const CommandPage& command : program.commands) {
        EXPECT_THAT(first, HasSubstr("\n.BR headroom\\-" + spelt(command.word()) + " (1)"));
        const std::string page = read_text(folder / ("man/headroom-" + command.word() + ".1"));
        EXPECT_EQ(page.find("\n.\n"), std::string::npos);
        walk(command, [&](const CommandPage& below) {
            EXPECT_THAT(page, HasSubstr(".B " + spelt(below.name) + "\n"));
            for (const OptionPage& option : below.options)
                for (const std::string& name : option.names)
                    EXPECT_THAT(page, HasSubstr("\\fB" + spelt(name) + "\\fR"));
        });
    }
}

TEST(ManPages, KeepTextThatLooksLikeCommands) {
    CommandPage page;
    page.name = "headroom odd";
    page.help = ".SH not a heading";
    page.options.push_back({{"--a\\b"}, "", {}, "'quoted", false, false});
    const std::string text = man_of_command(page);
    EXPECT_THAT(text, HasSubstr("\\-\\-a\\eb"));
    EXPECT_THAT(text, HasSubstr("\n\\&'quoted"));
}

TEST(Completion, KnowsEveryCommandAndOptionInEveryShell) {
    const CommandPage program = whole_program_tree();
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const std::string script = completion_script(program, shell);
        walk(program, [&](const CommandPage& command) {
            EXPECT_THAT(script, HasSubstr("'" + command.name + "'"));
            for (const OptionPage& option : command.options)
                for (const std::string& name : option.names)
                    EXPECT_THAT(script, HasSubstr(name.starts_with("--") ? name.substr(2)
                                                                         : name.substr(1)));
        });
    }
    EXPECT_THROW((void)completion_script(program, "tcsh"), UserError);
}

TEST(Completion, AnswersInBash) {
    EXPECT_THAT(bash_answers(""), HasSubstr(" study "));
    EXPECT_THAT(bash_answers("study"), HasSubstr(" run "));
    EXPECT_THAT(bash_answers("figure"), HasSubstr(" loss "));
    EXPECT_THAT(bash_answers("study run"), HasSubstr(" --retry "));
    EXPECT_THAT(bash_answers("train --device"), HasSubstr(" cuda "));
    EXPECT_EQ(bash_answers("train --device").find("--job"), std::string::npos);
    EXPECT_THAT(bash_answers("train --device cpu"), HasSubstr(" --job "));
    EXPECT_THAT(bash_answers("train --job"), HasSubstr(" script ")) << "names of files";
}

}  // namespace
}  // namespace headroom
