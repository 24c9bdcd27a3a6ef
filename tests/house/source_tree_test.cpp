#include "tests/house/source_tree.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/house/include_rules.h"

namespace headroom {
namespace {

constexpr long kLongestFile = 600;

const std::vector<SourceFile>& source_tree() {
    static const std::vector<SourceFile> files = read_source_tree(HEADROOM_SOURCE_DIR);
    return files;
}

TEST(SourceTree, IsFound) {
    EXPECT_TRUE(std::any_of(source_tree().begin(), source_tree().end(), [](const SourceFile& file) {
        return file.path == "core/base/error.h" && file.is_header();
    }));
}

TEST(SourceTree, KeepsTheIncludeRules) {
    for (const SourceFile& file : source_tree())
        EXPECT_THAT(include_violations(file), testing::IsEmpty());
}

TEST(SourceTree, HoldsNoFileOfMoreThan600Lines) {
    for (const SourceFile& file : source_tree())
        EXPECT_LE(std::count(file.text.begin(), file.text.end(), '\n'), kLongestFile) << file.path;
}

TEST(SourceTree, GuardsEveryHeaderWithPragmaOnce) {
    for (const SourceFile& file : source_tree()) {
        if (!file.is_header()) continue;
        EXPECT_THAT(file.text, testing::HasSubstr("#pragma once")) << file.path;
    }
}

}  // namespace
}  // namespace headroom
