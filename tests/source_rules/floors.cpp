#include "tests/source_rules/floors.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace headroom {
namespace {

/// "core/weights/interop/layout.h" is of weights/interop.
std::string folder_of(const std::string& path) {
    const size_t begin = std::string("core/").size(), end = path.rfind('/');
    return end <= begin ? "" : path.substr(begin, end - begin);
}

/// A walk down the includes that remembers the way.
class Walk {
  public:
    explicit Walk(const std::vector<SourceFile>& files) {
        for (const SourceFile& file : files) includes_[file.path] = project_includes(file);
    }

    std::string circle() {
        for (const auto& [path, headers] : includes_)
            if (std::string found = visit(path); !found.empty()) return found;
        return {};
    }

  private:
    std::string visit(const std::string& path) {
        const auto again = std::find(way_.begin(), way_.end(), path);
        if (again != way_.end()) {
            std::string text;
            for (auto step = again; step != way_.end(); ++step) text += *step + " -> ";
            return text + path;
        }
        const auto known = includes_.find(path);
        if (known == includes_.end() || done_[path]) return {};
        way_.push_back(path);
        for (const std::string& header : known->second)
            if (std::string found = visit(header); !found.empty()) return found;
        way_.pop_back();
        done_[path] = true;
        return {};
    }

    std::map<std::string, std::vector<std::string>> includes_;
    std::map<std::string, bool> done_;
    std::vector<std::string> way_;
};

}  // namespace

std::vector<std::string> project_includes(const SourceFile& file) {
    static const std::regex include(R"(^\s*#\s*include\s*"([^"]+)\".*)");
    std::vector<std::string> headers;
    std::istringstream lines(file.text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);)
        if (std::regex_match(line, match, include)) headers.push_back(match[1]);
    return headers;
}

std::map<std::string, int> read_floors(const std::string& readme) {
    static const std::regex row(R"(^\| *(\d+) *\|([^|]*)\|.*)"), name("`([^`]+)`");
    std::map<std::string, int> floors;
    std::istringstream lines(readme);
    bool inside = false;
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("## ")) inside = line == "## Floors";
        if (!inside || !std::regex_match(line, match, row)) continue;
        const int floor = std::stoi(match[1]);
        const std::string folders = match[2];
        for (std::sregex_iterator it(folders.begin(), folders.end(), name), end; it != end; ++it)
            floors[(*it)[1]] = floor;
    }
    return floors;
}

std::vector<std::string> floor_violations(const SourceFile& file,
                                          const std::map<std::string, int>& floors) {
    std::vector<std::string> violations;
    if (!file.path.starts_with("core/")) return violations;
    const std::string own = folder_of(file.path);
    if (!floors.contains(own))
        return {file.path + ": core/" + own + " has no floor in core/README.md"};
    for (const std::string& header : project_includes(file)) {
        const std::string other = folder_of(header);
        if (!header.starts_with("core/") || other == own) continue;
        if (!floors.contains(other))
            violations.push_back(file.path + ": core/" + other + " has no floor in core/README.md");
        else if (floors.at(other) >= floors.at(own))
            violations.push_back(file.path + ": " + header + " is not below core/" + own);
    }
    return violations;
}

std::string include_circle(const std::vector<SourceFile>& files) {
    return Walk(files).circle();
}

}  // namespace headroom
