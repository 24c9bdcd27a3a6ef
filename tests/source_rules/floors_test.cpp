#include "tests/source_rules/floors.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

const std::map<std::string, int> kFloors = {{"base", 1}, {"graph", 2}, {"ops", 3}, {"model", 3}};

TEST(Floors, AreReadFromTheTable) {
    EXPECT_THAT(
        read_floors("# a\n| 9 | `x` |\n## Floors\n\n| floor | folders | what |\n| --- |\n"
                    "| 1 | `base` | all |\n| 12 | `ops`, `weights/interop` | both |\n"
                    "## Next\n| 3 | `y` |\n"),
        UnorderedElementsAre(Pair("base", 1), Pair("ops", 12), Pair("weights/interop", 12)));
}

TEST(Floors, AnIncludeLeadsDownOrStaysInItsFolder) {
    EXPECT_THAT(floor_violations({"core/ops/a.cpp",
                                  "#include \"core/graph/b.h\"\n"
                                  "#include \"core/ops/c.h\"\n"},
                                 kFloors),
                IsEmpty());
    EXPECT_THAT(floor_violations({"core/graph/a.cpp", "#include \"core/ops/b.h\"\n"}, kFloors),
                ElementsAre(HasSubstr("core/ops/b.h is not below core/graph")));
    EXPECT_THAT(floor_violations({"core/ops/a.cpp", "#include \"core/model/b.h\"\n"}, kFloors),
                ElementsAre(HasSubstr("not below")))
        << "neighbours on one floor";
}

TEST(Floors, EveryFolderHasOne) {
    EXPECT_THAT(floor_violations({"core/new/a.cpp", ""}, kFloors),
                ElementsAre(HasSubstr("core/new has no floor")));
    EXPECT_THAT(floor_violations({"core/ops/a.cpp", "#include \"core/new/b.h\"\n"}, kFloors),
                ElementsAre(HasSubstr("core/new has no floor")));
}

TEST(Floors, ACircleOfFilesIsTold) {
    EXPECT_EQ(include_circle({{"a.h", "#include \"b.h\"\n"}, {"b.h", "#include \"c.h\"\n"}}), "");
    EXPECT_EQ(include_circle({{"a.h", "#include \"b.h\"\n"},
                              {"b.h", "#include \"c.h\"\n"},
                              {"c.h", "#include \"b.h\"\n"}}),
              "b.h -> c.h -> b.h");
}

TEST(SourceTree, KeepsTheFloorsOfCore) {
    std::ostringstream readme;
    readme << std::ifstream(source_tree() / "core/README.md").rdbuf();
    const std::map<std::string, int> floors = read_floors(readme.str());
    ASSERT_GT(floors.size(), 20U);
    for (const SourceFile& file : read_source_tree(source_tree()))
        EXPECT_THAT(floor_violations(file, floors), IsEmpty());
}

TEST(SourceTree, HoldsNoCircleOfFiles) {
    EXPECT_EQ(include_circle(read_source_tree(source_tree())), "");
}

}  // namespace
}  // namespace headroom
