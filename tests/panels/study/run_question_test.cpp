#include "panels/study/run_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/results/pareto_view.h"
#include "panels/results/results_view.h"
#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

nlohmann::json job_of(const nlohmann::json& data,
                      const nlohmann::json& train = nlohmann::json::object()) {
    return {{"data", data},
            {"train", train.is_null() ? nlohmann::json::object() : train},
            {"model", nlohmann::json::object()}};
}

const nlohmann::json kBook = {{"train", "text:book.txt"}, {"val", "text:val.txt"}};

RunPointer book(const std::string& name, const nlohmann::json& data = nlohmann::json::object(),
                const nlohmann::json& train = nlohmann::json::object(), uint64_t evaluated = 0,
                int64_t seed = 1, float loss = 3) {
    nlohmann::json all = kBook;
    all.update(data.is_null() ? nlohmann::json::object() : data);
    return with_job(run(name, seed, loss), job_of(all, train), evaluated);
}

TEST(RunQuestion, SaysWhatOfTwoRunsDiffers) {
    const auto validation = [](const RunPointer& a, const RunPointer& b) {
        return question_difference(*a, *b, LossOver::kValidation);
    };
    const auto training = [](const RunPointer& a, const RunPointer& b) {
        return question_difference(*a, *b, LossOver::kTraining);
    };
    const RunPointer base = book("base");
    EXPECT_EQ(validation(base, book("same")), "");
    EXPECT_EQ(training(base, book("same")), "");
    const RunPointer other_text = book("text", {{"train", "text:other.txt"}});
    EXPECT_EQ(training(base, other_text), "") << "its first batch was the same";
    EXPECT_EQ(validation(base, other_text), "") << "evaluated on the same file";
    const RunPointer other_val = book("val", {{"val", "text:wiki.txt"}});
    EXPECT_EQ(validation(base, other_val), "validation data");
    EXPECT_EQ(training(base, other_val), "");
    const nlohmann::json split = {{"val", "split:0.1"}};
    EXPECT_EQ(validation(book("a", split),
                         book("b", {{"val", "split:0.1"}, {"train", "text:other.txt"}})),
              "validation data")
        << "a part of what differs";
    const RunPointer chars = book("chars", {{"tokenizer", "char"}});
    EXPECT_EQ(validation(base, chars), "tokenizer");
    EXPECT_EQ(training(base, chars), "tokenizer");
    EXPECT_EQ(validation(base, book("more", {}, {{"eval_batches", 90}})), "evaluation sequences");
    EXPECT_EQ(training(base, book("more", {}, {{"eval_batches", 90}})), "");
    EXPECT_EQ(validation(base, run("imported", 1, 3)), "") << "nothing is known";
}

TEST(RunQuestion, HashesOfEvaluationsTellMoreThanNames) {
    const auto difference = [](const RunPointer& a, const RunPointer& b) {
        return question_difference(*a, *b, LossOver::kValidation);
    };
    const RunPointer base = book("base", {}, {}, 5);
    EXPECT_EQ(difference(base, book("replaced", {}, {}, 6)), "validation data");
    EXPECT_EQ(difference(base, book("copy", {{"val", "text:copy.txt"}}, {}, 5)), "");
    EXPECT_EQ(difference(base, book("seed", {}, {}, 6, 2)), "")
        << "what is drawn by its seed differs by it";
    EXPECT_EQ(difference(base, book("chars", {{"tokenizer", "char"}}, {}, 6)), "tokenizer");
}

TEST(RunQuestion, MasksAndLengthsOfContextAreQuestionsToo) {
    const auto difference = [](const RunPointer& a, const RunPointer& b) {
        return question_difference(*a, *b, LossOver::kValidation);
    };
    const auto masked = [](double rate) {
        const RunPointer made = run("masked", 1, 3);
        return with_job(made, {{"data", kBook},
                               {"train", {{"objective", "masked"}, {"mask_rate", rate}}},
                               {"model", {{"causal", false}}}});
    };
    EXPECT_EQ(difference(masked(0.15), masked(0.15)), "");
    EXPECT_EQ(difference(masked(0.15), masked(0.3)), "objective");
    EXPECT_EQ(difference(book("base"), book("short", {}, {{"seq_len", 16}})), "seq_len");
    EXPECT_TRUE(is_about("objective", "train.mask_rate"));
    EXPECT_TRUE(is_about("seq_len", "train.seq_len"));
    EXPECT_TRUE(is_about(kEvaluationSequences, "train.batch_size"));
    EXPECT_TRUE(is_about("tokenizer", "data.tokenizer"));
    EXPECT_FALSE(is_about("tokenizer", "train.lr"));
}

TEST(RunQuestion, OneTextInTwoPlacesIsOne) {
    const auto on = [](const char* text, uint64_t data) {
        const RunPointer made = MeasuredRun{.group = "copy", .data = data}.make();
        return with_job(made, job_of({{"train", text}, {"val", "text:val.txt"}}));
    };
    EXPECT_EQ(
        question_difference(*on("text:a.txt", 7), *on("text:b/a.txt", 7), LossOver::kTraining), "");
    EXPECT_EQ(question_difference(*on("text:a.txt", 7), *on("text:b.txt", 8), LossOver::kTraining),
              "training data");
}

TEST(RunQuestion, OthersAreGatheredByWhatDiffers) {
    OtherQuestions others("base");
    EXPECT_THAT(others.notes(false), ElementsAre());
    EXPECT_EQ(others.why_empty(), "");
    const headroom::Run known = *book("any"), imported = *run("imported", 1, 3);
    others.add("same", known, known, "");
    for (const char* name : {"char", "bpe", "char"}) others.add(name, known, known, "tokenizer");
    for (const char* name : {"a", "b", "c", "d", "e"})
        others.add(name, known, known, "validation data");
    others.add("plain", imported, known, "");
    others.add("other", imported, imported, "");
    EXPECT_THAT(others.notes(false),
                ElementsAre("not comparable with base: char, bpe (tokenizer); a, b, c and 2 more "
                            "(validation data)",
                            "nothing is known of the data of plain"));
    EXPECT_THAT(others.notes(true)[0], testing::StartsWith("left out, not comparable with base"));
    EXPECT_THAT(others.why_empty(), testing::StartsWith("runs are left out, not comparable with"));
}

/// Two variants of one question, and one of another that looks best.
std::vector<RunPointer> three() {
    std::vector<RunPointer> runs;
    for (const int64_t seed : {1, 2}) {
        runs.push_back(book("base", {}, {}, 0, seed, 3));
        runs.push_back(book("skip", {}, {{"lr", 1e-4}}, 0, seed, 2.9f));
        runs.push_back(book("char", {{"tokenizer", "char"}}, {}, 0, seed, 1));
    }
    return runs;
}

// It stood on the frontier.
TEST(RunQuestion, AFrontierIsOfOneQuestion) {
    ParetoSettings settings;
    settings.x = "params";
    const ParetoView view = build_pareto(three(), settings);
    ASSERT_EQ(view.points.size(), 2u);
    EXPECT_THAT(view.figure.footnote,
                HasSubstr("left out, not comparable with base: char (tokenizer)"));
    std::vector<RunPointer> runs = three();
    runs.push_back(book("more", {}, {{"eval_batches", 90}, {"lr", 3e-4}}, 0, 1, 2.5f));
    EXPECT_EQ(build_pareto(runs, settings).points.size(), 3u) << "one loss, less certain";
    EXPECT_THAT(build_pareto(runs, settings).figure.footnote,
                HasSubstr("not comparable with base: more (evaluation sequences)"));
}

TEST(RunQuestion, ResultsSayItAndHaveNoDifferencesOfTwo) {
    ResultsSettings settings;
    settings.x = "train.lr";
    ResultsView view = build_results(three(), settings);
    EXPECT_EQ(view.lines.size(), 3u);
    EXPECT_THAT(view.figure.footnote, HasSubstr("not comparable with base: char (tokenizer)"));
    settings.reference = "base-s1";
    settings.relative = true;
    view = build_results(three(), settings);
    ASSERT_EQ(view.lines.size(), 1u);
    EXPECT_EQ(view.lines[0].name, "skip");
    EXPECT_THAT(view.figure.footnote, HasSubstr("left out, not comparable with base: char"));
    const std::vector<RunPointer> apart{three()[0], three()[2]};
    EXPECT_THAT(build_results(apart, settings).figure.empty_text,
                HasSubstr("runs are left out, not comparable with base: char (tokenizer)"));
    settings.relative = false;
    settings.by = "data.tokenizer";
    EXPECT_THAT(build_results(three(), settings).figure.footnote, Not(HasSubstr("comparable")))
        << "the lines are named by it";
}

}  // namespace
}  // namespace headroom
