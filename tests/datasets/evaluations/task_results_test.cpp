#include "datasets/evaluations/task_results.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/log/array_file.h"
#include "datasets/evaluations/scores_file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// Four questions of two choices; `likelier` says which of them the model holds for likelier.
TaskResults answered(const std::vector<int>& likelier, const std::string& about = "g") {
    std::vector<EvaluationItem> items;
    std::vector<ContinuationRequest> requests;
    std::vector<ContinuationScore> scores;
    for (size_t i = 0; i < likelier.size(); ++i) {
        const std::string context = about + std::to_string(i);
        items.push_back({{{context, " x", 1}, {context, " yes", 4}}, 0});
        for (int choice = 0; choice < 2; ++choice) {
            requests.push_back({{1}, std::vector<int32_t>(static_cast<size_t>(choice + 1), 2)});
            scores.push_back({choice == likelier[i] ? -2.0 : -3.0, false});
        }
    }
    return task_results(find_evaluation_task("piqa"), "piqa.jsonl", items, requests, scores);
}

TEST(TaskResults, AccuracyIsTheShareOfItemsWithItsStandardError) {
    const TaskResults results = answered({0, 0, 1, 0});
    EXPECT_EQ(results.items[2].choice, 1);
    EXPECT_EQ(results.items[0].choice_norm, 1) << "-3 / 4 is more than -2 / 1";
    EXPECT_EQ(results.items[0].tokens, (std::vector<int32_t>{1, 2}));
    const std::vector<TaskMeasure> measures = measures_of(results);
    ASSERT_EQ(measures.size(), 2U) << "no perplexity";
    EXPECT_EQ(measures[0].name, "acc");
    EXPECT_DOUBLE_EQ(measures[0].mean.mean, 0.75);
    EXPECT_DOUBLE_EQ(measures[0].mean.standard_error, std::sqrt(0.75 / 3 / 4));
    EXPECT_EQ(measures[1].name, "acc_norm");
    EXPECT_DOUBLE_EQ(measures[1].mean.mean, 0);
}

/// By hand: -2 and -4 nats have the mean -3 and the standard error 1, e^3 times which is that of
/// e^3 to first order.
TEST(TaskResults, PerplexityHasTheErrorOfTheMeanTimesItself) {
    std::vector<EvaluationItem> items;
    std::vector<ContinuationRequest> requests;
    std::vector<ContinuationScore> scores;
    for (const double log : {-2.0, -4.0}) {
        items.push_back({{{"he", " said", 4}}, 0});
        requests.push_back({{1}, {2}});
        scores.push_back({log, log > -3});
    }
    const std::vector<TaskMeasure> measures = measures_of(
        task_results(find_evaluation_task("lambada"), "l.jsonl", items, requests, scores));
    ASSERT_EQ(measures.size(), 2U);
    EXPECT_DOUBLE_EQ(measures[0].mean.mean, 0.5) << "what the model would say by itself";
    EXPECT_EQ(measures[1].name, "perplexity");
    EXPECT_DOUBLE_EQ(measures[1].mean.mean, std::exp(3));
    EXPECT_DOUBLE_EQ(measures[1].mean.standard_error, std::exp(3));
}

TEST(TaskResults, TwoModelsAreComparedItemByItem) {
    const TaskComparison comparison =
        compare_results(answered({0, 0, 1, 0}), answered({0, 1, 1, 1}));
    EXPECT_DOUBLE_EQ(comparison.difference.mean, 0.5);
    EXPECT_EQ(comparison.only_first, 2);
    EXPECT_EQ(comparison.only_second, 0);
    EXPECT_DOUBLE_EQ(comparison.p, 0.5);
    EXPECT_THROW(compare_results(answered({0, 0}), answered({0})), UserError);
    EXPECT_THROW(compare_results(answered({0, 0}), answered({0, 0}, "h")), UserError);
}

TEST(ScoresFile, KeepsEveryNumber) {
    const TemporaryFolder folder;
    EvaluationScores scores{"model.safetensors", 500, "byte", "float32", {answered({0, 1, 0})}};
    scores.tasks.front().items[1].greedy = true;
    write_scores(scores, folder / "scores.h5");
    const EvaluationScores read = read_scores(folder / "scores.h5");
    EXPECT_EQ(read.checkpoint, scores.checkpoint);
    EXPECT_EQ(read.step, 500);
    EXPECT_EQ(read.tokenizer, "byte");
    EXPECT_EQ(read.precision, "float32");
    EXPECT_EQ(read.tasks, scores.tasks);
    EXPECT_EQ(read.find("piqa"), &read.tasks.front());
    EXPECT_EQ(read.find("boolq"), nullptr);
}

std::string refusal_of(const std::filesystem::path& path) {
    try {
        read_scores(path);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(ScoresFile, RefusesWhatDoesNotFitTogether) {
    const TemporaryFolder folder;
    const auto write = [&](const char* name, const std::string& schema, const std::string& task,
                           const std::vector<int32_t>& choices) {
        ArrayFileWriter file(folder / name);
        file.attribute("schema", schema);
        const auto n = static_cast<int64_t>(choices.size());
        for (const char* array : {"choices", "answer", "choice", "choice_norm", "greedy"})
            file.add<int32_t>("/" + task + "/" + array, {n}, choices);
        file.add<int32_t>("/" + task + "/hash", {n, 2}, std::vector<int32_t>(2 * choices.size()));
        for (const char* array : {"tokens", "characters"})
            file.add<int32_t>("/" + task + "/" + array, {3}, {1, 1, 1});
        file.add<double>("/" + task + "/log_probabilities", {3}, {-1, -1, -1});
        file.commit();
        return refusal_of(folder / name);
    };
    EXPECT_EQ(write("good.h5", "headroom-eval/1", "piqa", {1, 2}), "");
    EXPECT_THAT(write("schema.h5", "headroom-probe/1", "piqa", {1, 2}),
                HasSubstr("no file of scores"));
    EXPECT_THAT(write("more.h5", "headroom-eval/1", "piqa", {2, 2}),
                HasSubstr("do not fit together"));
    EXPECT_THAT(write("minus.h5", "headroom-eval/1", "piqa", {4, -1}),
                HasSubstr("do not fit together"));
    EXPECT_THAT(write("task.h5", "headroom-eval/1", "pika", {1, 2}),
                HasSubstr("is no zero-shot task"));
    EXPECT_NE(refusal_of(folder / "missing.h5"), "");
}

}  // namespace
}  // namespace headroom
