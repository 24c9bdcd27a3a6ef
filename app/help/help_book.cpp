#include "app/help/help_book.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "app/help/page_references.h"

namespace headroom {
namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(lower(text));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

int count(const std::string& text, const std::string& word) {
    int found = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

/// How well a topic answers the words; 0 where one is missing. A word in the title counts most; in
/// the text it counts by how much of the text it is, or long chapters would come first for
/// everything.
double score(const HelpTopic& topic, const std::vector<std::string>& words) {
    constexpr double kInTitle = 1000, kShortText = 1000;
    const std::string title = lower(topic.title), text = lower(topic.summary + topic.text);
    double sum = 0;
    for (const std::string& word : words) {
        const int in_title = count(title, word), in_text = count(text, word);
        if (in_title + in_text == 0) return 0;
        sum += (in_title > 0 ? kInTitle : 0) +
               in_text * kShortText / (kShortText + static_cast<double>(text.size()));
    }
    return sum;
}

/// Text of a cell of a table in Markdown.
std::string cell(const std::string& text) {
    std::string made;
    for (const char c : text) made += c == '|' ? std::string("\\|") : std::string(1, c);
    return made;
}

std::string option_row(const OptionPage& option) {
    std::string names;
    for (const std::string& name : option.names)
        names += (names.empty() ? "`" : ", `") + name + "`";
    if (!option.value.empty()) names += (names.empty() ? "`" : " `") + cell(option.value) + "`";
    std::string help = option.help;
    for (const std::string& choice : option.choices)
        help += (&choice == &option.choices.front() ? " (" : ", ") + choice;
    if (!option.choices.empty()) help += ")";
    return fmt::format("| {} | {}{} |\n", names, cell(help), option.required ? "; required" : "");
}

void add_commands(const CommandPage& command, std::vector<HelpTopic>& topics) {
    topics.push_back(command_topic(command));
    for (const CommandPage& below : command.commands) add_commands(below, topics);
}

const HelpTopic* find(const std::vector<HelpTopic>& topics, const std::string& id) {
    for (const HelpTopic& topic : topics)
        if (topic.id == id) return &topic;
    return nullptr;
}

/// What the page shows, then the chapters, then the commands.
HelpTopic page_topic(const HelpedPage& page, const std::vector<HelpTopic>& others) {
    HelpTopic topic{"page:" + page.name, page.title, "", page.help};
    for (const PageReferences& references : page_references()) {
        if (references.page != page.name) continue;
        for (const std::string& chapter : references.chapters)
            if (const HelpTopic* found = find(others, "chapter:" + chapter))
                topic.text += fmt::format("\n### {}\n\n{}\n", found->title, found->text);
        if (!references.commands.empty()) topic.text += "\n### The same as a command\n";
        for (const std::string& command : references.commands)
            if (const HelpTopic* found = find(others, "command:headroom " + command))
                topic.text += fmt::format("\n**{}**: {}\n", found->title, found->text);
    }
    return topic;
}

}  // namespace

HelpTopic command_topic(const CommandPage& command) {
    HelpTopic topic{"command:" + command.name, command.name, command.help + "\n"};
    if (!command.footer.empty()) topic.text += "\n" + command.footer + "\n";
    if (!command.commands.empty()) topic.text += "\n| command | does |\n| --- | --- |\n";
    for (const CommandPage& below : command.commands)
        topic.text += fmt::format("| `{}` | {} |\n", below.name, cell(below.help));
    if (!command.options.empty()) topic.text += "\n| option | |\n| --- | --- |\n";
    for (const OptionPage& option : command.options) topic.text += option_row(option);
    return topic;
}

std::vector<HelpTopic> chapters_of(const HelpSource& source) {
    std::vector<HelpTopic> chapters{{"chapter:" + source.file + "#", source.file, ""}};
    std::istringstream lines(source.text);
    bool in_code = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) in_code = !in_code;
        if (!in_code && line.starts_with("# ")) {
            chapters.front().title = line.substr(2);
        } else if (!in_code && line.starts_with("## ")) {
            const std::string heading = line.substr(3);
            chapters.push_back({"chapter:" + source.file + "#" + heading,
                                chapters.front().title + ": " + heading, ""});
        } else if (!line.starts_with("![")) {  // pictures lie in the source tree
            chapters.back().text += line + "\n";
        }
    }
    std::erase_if(chapters, [](const HelpTopic& chapter) {
        return chapter.text.find_first_not_of(" \n") == std::string::npos;
    });
    return chapters;
}

std::vector<HelpTopic> help_topics(const std::vector<HelpedPage>& pages, const CommandPage& program,
                                   const std::vector<HelpSource>& sources) {
    std::vector<HelpTopic> others;
    add_commands(program, others);
    for (const HelpSource& source : sources)
        for (HelpTopic& chapter : chapters_of(source)) others.push_back(std::move(chapter));
    std::vector<HelpTopic> topics;
    for (const HelpedPage& page : pages) topics.push_back(page_topic(page, others));
    topics.insert(topics.end(), others.begin(), others.end());
    return topics;
}

std::vector<size_t> find_topics(const std::vector<HelpTopic>& topics, const std::string& query) {
    const std::vector<std::string> words = words_of(query);
    std::vector<std::pair<double, size_t>> found;
    for (size_t i = 0; i < topics.size(); ++i) {
        const double points = words.empty() ? 1 : score(topics[i], words);
        if (points > 0) found.emplace_back(-points, i);
    }
    if (!words.empty()) std::stable_sort(found.begin(), found.end());
    std::vector<size_t> indices;
    for (const auto& [points, index] : found) indices.push_back(index);
    return indices;
}

}  // namespace headroom
