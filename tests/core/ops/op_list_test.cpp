#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/op_cases/op_case_run.h"
#include "tests/support/places.h"

namespace headroom {
namespace {

/// The names that the headers of core/ops return from name().
std::set<std::string> declared_ops() {
    std::set<std::string> names;
    const std::regex pattern(R"re(name\(\) const override \{ return "([a-z0-9_]+)"; \})re");
    for (const auto& entry : std::filesystem::directory_iterator(source_tree() / "core/ops")) {
        if (entry.path().extension() != ".h") continue;
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        const std::string content = text.str();
        for (std::sregex_iterator it(content.begin(), content.end(), pattern), end; it != end; ++it)
            names.insert((*it)[1]);
    }
    return names;
}

std::set<std::string> ops_of(CaseSize size) {
    std::set<std::string> names;
    for (const OpCase& c : op_cases(DType::kF32, size)) {
        const CaseGraph graph(c);
        for (const Node& node : graph.graph.nodes()) names.emplace(node.op->name());
    }
    return names;
}

TEST(OpCases, CoverEveryOperatorOfTheFolder) {
    const std::set<std::string> declared = declared_ops();
    ASSERT_GT(declared.size(), 10u);
    EXPECT_EQ(ops_of(CaseSize::kSmall), declared)
        << "an operator has no case: add one to core/op_cases/op_cases.cpp";
    for (const CaseSize timed : {CaseSize::kCpu, CaseSize::kGpu})
        EXPECT_EQ(ops_of(timed), declared)
            << "an operator has no benchmark size: add one to core/op_cases/op_cases.cpp";
}

TEST(OpCases, HaveAGraphInEveryTypeThatIsTimed) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16})
        for (const CaseSize timed : {CaseSize::kCpu, CaseSize::kGpu})
            for (const OpCase& c : op_cases(dtype, timed))
                EXPECT_NO_THROW(CaseGraph{c}) << c.name << " in " << name_of(dtype);
}

TEST(OpCases, HaveNamesOfTheirOwn) {
    std::set<std::string> names;
    const auto cases = op_cases(DType::kF32, CaseSize::kSmall);
    for (const OpCase& c : cases) names.insert(c.name);
    EXPECT_EQ(names.size(), cases.size());
}

}  // namespace
}  // namespace headroom
