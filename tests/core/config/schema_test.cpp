#include "core/config/schema.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "tests/support/places.h"

namespace headroom {
namespace {

TEST(JobSchema, EveryFieldIsCompleteAndNamedOnce) {
    std::set<std::string> paths;
    for (const Field& field : job_schema()) {
        EXPECT_TRUE(paths.insert(field.path).second) << field.path;
        EXPECT_FALSE(field.help.empty()) << field.path;
        EXPECT_FALSE(field.group.empty()) << field.path;
        EXPECT_FALSE(field.default_text.empty()) << field.path;
        EXPECT_EQ(find_field(field.path), &field);
        EXPECT_TRUE(field.type != FieldType::kChoice || !field.choices.empty()) << field.path;
        EXPECT_TRUE(field.type != FieldType::kInteger || field.minimum) << field.path;
    }
    EXPECT_EQ(find_field("model.n_layers"), nullptr);
}

TEST(JobSchema, TheDefaultsThatItStatesAreTheOnesThatAreFilledIn) {
    const nlohmann::json filled = to_json(parse_job(nlohmann::json::object(), ""));
    int compared = 0;
    for (const Field& field : job_schema()) {
        if (field.input_only) continue;
        const auto stated = nlohmann::json::parse(field.default_text, nullptr, false);
        if (stated.is_discarded()) continue;  // a formula
        const auto& section = field.section().empty() ? filled : filled.at(field.section());
        EXPECT_EQ(stated, section.at(field.key())) << field.path;
        ++compared;
    }
    EXPECT_GT(compared, 40);
}

TEST(JobSchema, RangesReadAsText) {
    EXPECT_EQ(range_text(*find_field("model.n_layer")), "1 to 1024");
    EXPECT_EQ(range_text(*find_field("seed")), "at least 0");
    EXPECT_EQ(range_text(*find_field("train.lr")), "more than 0, at most 10");
    EXPECT_EQ(range_text(*find_field("device")), "auto, cpu, cuda");
    EXPECT_EQ(range_text(*find_field("model.res_lambda")), "-100 to 100, or learned");
}

TEST(JobSchema, KeyTableIsUpToDate) {
    std::ifstream file(source_tree() / "core/config/KEYS.md");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), key_table_markdown())
        << "run: headroom describe --keys > core/config/KEYS.md";
}

TEST(Presets, HaveDistinctNamesThatCanBeFound) {
    std::set<std::string> names;
    for (const Preset& preset : presets()) {
        EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
        EXPECT_EQ(find_preset(preset.name), &preset);
        EXPECT_FALSE(preset.help.empty());
    }
    EXPECT_EQ(find_preset("no-such-preset"), nullptr);
}

}  // namespace
}  // namespace headroom
