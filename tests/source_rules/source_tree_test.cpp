#include "tests/source_rules/source_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source_rules/forbidden_calls.h"
#include "tests/source_rules/include_rules.h"
#include "tests/support/places.h"

namespace headroom {
namespace {

constexpr long kLongestFile = 600;

const std::vector<SourceFile>& all_files() {
    static const std::vector<SourceFile> files = read_source_tree(source_tree());
    return files;
}

TEST(SourceTree, IsFound) {
    EXPECT_TRUE(std::any_of(all_files().begin(), all_files().end(), [](const SourceFile& file) {
        return file.path == "core/base/error.h" && file.is_header();
    }));
}

TEST(SourceTree, KeepsTheIncludeRules) {
    for (const SourceFile& file : all_files())
        EXPECT_THAT(include_violations(file), testing::IsEmpty());
}

TEST(SourceTree, MakesNoForbiddenCall) {
    for (const SourceFile& file : all_files())
        EXPECT_THAT(forbidden_calls(file), testing::IsEmpty());
}

TEST(SourceTree, HoldsNoFileOfMoreThan600Lines) {
    for (const SourceFile& file : all_files())
        EXPECT_LE(std::count(file.text.begin(), file.text.end(), '\n'), kLongestFile) << file.path;
}

TEST(SourceTree, GuardsEveryHeaderWithPragmaOnce) {
    for (const SourceFile& file : all_files()) {
        if (!file.is_header()) continue;
        EXPECT_THAT(file.text, testing::HasSubstr("#pragma once")) << file.path;
    }
}

/// "headroom::RunList" of every type that a header defines in a namespace of its own.
std::vector<std::string> types_of(const SourceFile& header) {
    std::vector<std::string> types;
    std::istringstream lines(header.text);
    std::string scope;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind, name;
        words >> kind >> name;
        if (line.starts_with("namespace ")) scope = name;
        if (kind == "enum" && name == "class") words >> name;
        const bool is_type = line.starts_with("struct ") || line.starts_with("class ") ||
                             line.starts_with("enum class ");
        if (is_type && line.ends_with('{') && name.find("::") == std::string::npos)
            types.push_back(scope + "::" + name);
    }
    return types;
}

// The linker takes one of two for both: the program crashes where it meets the other.
TEST(SourceTree, CallsNoTwoTypesTheSame) {
    std::map<std::string, std::string> known;
    for (const SourceFile& file : all_files()) {
        if (!file.is_header() || file.path.starts_with("tests/")) continue;
        for (const std::string& type : types_of(file))
            EXPECT_TRUE(known.emplace(type, file.path).second)
                << type << " is in " << known[type] << " and in " << file.path;
    }
    EXPECT_EQ(known["headroom::ListedRuns"], "core/study/listed_runs.h");
    EXPECT_GT(known.size(), 500u);
}

TEST(SourceTree, IncludesAFilesOwnHeaderFirst) {
    std::set<std::string> headers;
    for (const SourceFile& file : all_files())
        if (file.is_header()) headers.insert(file.path);
    for (const SourceFile& file : all_files()) {
        if (!file.path.ends_with(".cpp")) continue;
        const std::string own = file.path.substr(0, file.path.size() - 4) + ".h";
        if (!headers.contains(own)) continue;
        const size_t first = file.text.find("#include");
        ASSERT_NE(first, std::string::npos) << file.path;
        EXPECT_EQ(file.text.compare(first, own.size() + 11, "#include \"" + own + "\""), 0)
            << file.path << " leans on what it includes before " << own;
    }
}

}  // namespace
}  // namespace headroom
