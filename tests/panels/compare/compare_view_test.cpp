#include "panels/compare/compare_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/panels/architecture/models.h"

namespace headroom {
namespace {

using testing::HasSubstr;

const CompareRow* find_row(const CompareView& view, const std::string& section,
                           const std::string& name) {
    for (const CompareSection& each : view.sections)
        if (each.title == section)
            for (const CompareRow& row : each.rows)
                if (row.name == name) return &row;
    return nullptr;
}

CompareView compare(const std::string& arch, const std::string& baseline) {
    return build_compare({arch, parse_model_config({{"arch", arch}}, "")},
                         {baseline, parse_model_config({{"arch", baseline}}, "")}, 1024);
}

TEST(CompareView, TellsWhatLeavingOutQueriesSaves) {
    const CompareView view = compare("wq_identity", "gpt2");
    const CompareRow* total = find_row(view, "Parameters", "total");
    ASSERT_NE(total, nullptr);
    EXPECT_EQ(total->model, "117,295,872");
    EXPECT_EQ(total->baseline, "124,373,760");
    EXPECT_EQ(total->difference, "−7,077,888 (−5.69 %)");
    EXPECT_TRUE(total->differs);
    const CompareRow* layers = find_row(view, "Parameters of each layer", "Layers 0–11");
    ASSERT_NE(layers, nullptr);
    EXPECT_EQ(layers->difference, "query −589,824");
    EXPECT_EQ(find_row(view, "Changed keys of the model", "query")->model, "identity");
    EXPECT_EQ(find_row(view, "KV cache per token", "bytes in bfloat16")->difference, "equal");
}

// Runs that differed in their batch size had no changed key.
TEST(CompareView, NamesWhatTheTrainingOfTwoRunsDiffersIn) {
    Job a, b;
    a.model = b.model = model_of({});
    b.train.batch_size = a.train.batch_size * 2;
    const auto shared = [](const Job& job) { return std::make_shared<const Job>(job); };
    const CompareView view =
        build_compare({"b", b.model, shared(b)}, {"a", a.model, shared(a)}, 32);
    const CompareRow* row = find_row(view, "Changed keys of the training", "train.batch_size");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->model, std::to_string(b.train.batch_size));
    EXPECT_EQ(row->baseline, std::to_string(a.train.batch_size));
    const CompareView alone = build_compare({"b", b.model}, {"a", a.model}, 32);
    EXPECT_EQ(find_row(alone, "Changed keys of the training", "train.batch_size"), nullptr);
}

TEST(CompareView, LayersThatDifferAlikeAreOneLine) {
    const CompareView view = compare("skipv1", "gpt2");
    EXPECT_EQ(find_row(view, "Parameters of each layer", "Layer 0")->difference, "equal");
    EXPECT_EQ(find_row(view, "Parameters of each layer", "Layers 1–11")->difference,
              "value −294,912");
    EXPECT_EQ(find_row(view, "Cached numbers of each layer, per token", "Layers 1–11")->model,
              "1,152");
    EXPECT_THAT(find_row(view, "KV cache per token", "bytes in bfloat16")->difference,
                HasSubstr("22.92 %"));
}

TEST(CompareView, ModelsOfDifferentDepthAreCompared) {
    const CompareView view = build_compare({"deep", model_of({{"n_layer", 8}})},
                                           {"flat", model_of({{"n_layer", 6}})}, 32);
    EXPECT_EQ(find_row(view, "Parameters of each layer", "Layers 6–7")->baseline, "0");
}

TEST(CompareView, EqualModelsHaveNoChangedKey) {
    const CompareView view = compare("gpt2", "gpt2");
    ASSERT_EQ(view.sections.front().rows.size(), 1u);
    EXPECT_EQ(view.sections.front().rows.front().name, "none");
}

TEST(CompareView, AnUnknownVocabularyIsTakenFromTheOther) {
    ModelConfig unknown = model_of({});
    unknown.vocab_size = 0;
    const CompareView one = build_compare({"a", unknown}, {"b", model_of({})}, 32);
    EXPECT_EQ(find_row(one, "Parameters", "total")->difference, "equal");
    EXPECT_THAT(one.note, HasSubstr("100"));
    EXPECT_THAT(build_compare({"a", unknown}, {"b", unknown}, 32).note, HasSubstr("256"));
}

}  // namespace
}  // namespace headroom
