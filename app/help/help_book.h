#pragma once

#include <string>
#include <vector>

#include "app/help/command_page.h"

namespace headroom {

/// A page of the help: what a view, a command or a chapter of a README says.
struct HelpTopic {
    std::string
        id;  ///< "page:losses", "command:headroom study run", "chapter:core/probe/README.md#Rules"
    std::string title;         ///< what the list of topics shows
    std::string text;          ///< Markdown
    std::string summary = {};  ///< of a page: what it shows, Markdown; stands before the text
};

/// A README by the name of its file in the source tree.
struct HelpSource {
    std::string file, text;
};

/// What the window knows of one of its pages.
struct HelpedPage {
    std::string name, title, help;
};

/// Everything that can be read about the program: the pages of the window, each with the chapters
/// that define its numbers and the commands that make them; every command as `--help` says it;
/// every chapter of the READMEs.
std::vector<HelpTopic> help_topics(const std::vector<HelpedPage>& pages, const CommandPage& program,
                                   const std::vector<HelpSource>& sources);

/// The topics that have all words of `query`, as indices: words in titles count most, then how
/// much of the text they are. All topics in their order for an empty query. Case does not
/// matter.
std::vector<size_t> find_topics(const std::vector<HelpTopic>& topics, const std::string& query);

/// The chapters of a README: what stands before its first heading of the second order, then one for
/// each.
std::vector<HelpTopic> chapters_of(const HelpSource& source);

/// A command as a page: its arguments and options in a table, its own commands by name.
HelpTopic command_topic(const CommandPage& command);

}  // namespace headroom
