#include "datasets/evaluations/evaluation_task.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "datasets/evaluations/evaluation_line.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

std::vector<EvaluationItem> items_of(const std::string& task, const std::string& lines,
                                     int64_t limit = 0) {
    const TemporaryFolder folder;
    std::ofstream(folder / "items.jsonl") << lines;
    return read_evaluation(find_evaluation_task(task), (folder / "items.jsonl").string(), limit);
}

std::string error_of(const std::string& task, const std::string& lines) {
    try {
        items_of(task, lines);
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

/// Contexts and continuations of one item, a | between and a line each.
std::string written(const std::vector<EvaluationItem>& items) {
    std::string all;
    for (const auto& choice : items.at(0).choices)
        all += choice.context + "|" + choice.continuation + "\n";
    return all;
}

// The prompts below follow the task files of lm-evaluation-harness 0.4.13.

TEST(EvaluationTask, HellaSwagCleansWhatWikiHowLeft) {
    const auto items = items_of(
        "hellaswag",
        R"({"activity_label": "Baking [x]", "ctx_a": "A  man [title] bakes.", "ctx_b": "the Man",)"
        R"( "endings": ["eats [step] it. ", "Éats"], "label": "1"})");
    EXPECT_EQ(written(items),
              "Baking : A man. bakes. The man| eats it.\nBaking : A man. bakes. The man| Éats\n");
    EXPECT_EQ(items[0].answer, 1);
    EXPECT_EQ(items[0].choices[1].characters, 4);
}

TEST(EvaluationTask, ArcAndOpenBookQaComeInTwoForms) {
    const std::string flat =
        R"({"question": "Why?", "choices": {"text": ["a", "b"], "label": ["1", "2"]},)"
        R"( "answerKey": "2"})";
    const std::string nested =
        R"({"question": {"stem": "Why?", "choices": [{"text": "a", "label": "1"},)"
        R"( {"text": "b", "label": "2"}]}, "answerKey": "2"})";
    for (const std::string& line : {flat, nested}) {
        const auto items = items_of("arc_easy", line);
        EXPECT_EQ(written(items), "Question: Why?\nAnswer:| a\nQuestion: Why?\nAnswer:| b\n");
        EXPECT_EQ(items[0].answer, 1);
    }
    EXPECT_EQ(written(items_of("openbookqa", nested)), "Why?| a\nWhy?| b\n");
    EXPECT_EQ(
        written(items_of("openbookqa", R"({"question_stem": "Why?", "choices": {"text": ["a"],)"
                                       R"( "label": ["A"]}, "answerKey": "A"})")),
        "Why?| a\n");
}

TEST(EvaluationTask, OthersAskAsTheHarnessDoes) {
    EXPECT_EQ(written(items_of("piqa", R"({"goal": "g", "sol1": "x", "sol2": "y", "label": 0})")),
              "Question: g\nAnswer:| x\nQuestion: g\nAnswer:| y\n");
    const auto who = items_of(
        "winogrande",
        R"({"sentence": "Ann saw Bo as _ was up.", "option1": "Ann", "option2": "Bo", "answer": "2"})");
    EXPECT_EQ(written(who), "Ann saw Bo as Ann| was up.\nAnn saw Bo as Bo| was up.\n");
    EXPECT_EQ(who[0].answer, 1);
    for (const char* answer : {R"("answer": true)", R"("label": 1)", R"("label": "1")"}) {
        const auto items = items_of(
            "boolq", std::string(R"({"passage": "P.", "question": "is it", )") + answer + "}");
        EXPECT_EQ(written(items),
                  "P.\nQuestion: is it?\nAnswer:| no\nP.\nQuestion: is it?\nAnswer:| yes\n");
        EXPECT_EQ(items[0].answer, 1);
    }
    EXPECT_EQ(written(items_of("lambada", R"({"text": "he said\nno  more"})")),
              "he said\nno | more\n");
    const auto exam = items_of(
        "sciq", R"({"support": " S.", "question": "q", "distractor1": "a", "distractor2": "b",)"
                R"( "distractor3": "c", "correct_answer": "d"})");
    EXPECT_EQ(exam[0].choices[3].context + exam[0].choices[3].continuation,
              "S.\nQuestion: q\nAnswer: d");
    EXPECT_EQ(exam[0].answer, 3);
}

TEST(EvaluationTask, ReadsAnArrayOfItems) {
    const std::string array = "\n [{\"text\": \"a b\"},\n {\"text\":\n \"c d\"}]\n";
    EXPECT_EQ(written(items_of("lambada", array)), "a| b\n");
    EXPECT_EQ(items_of("lambada", array).size(), 2u);
    EXPECT_EQ(items_of("lambada", array, 1).size(), 1u);
    EXPECT_THAT(error_of("lambada", "[{\"text\": \"a b\"}, {}]"),
                HasSubstr("item 2: \"text\" is absent"));
    EXPECT_THAT(error_of("lambada", "[{\"text\": \"a b\"}"), HasSubstr("lambada file"));
    EXPECT_THAT(error_of("lambada", "[]"), HasSubstr("has no items"));
}

TEST(EvaluationTask, TakesLabelsFromTheFileBeside) {
    const TemporaryFolder folder;
    const std::string file = (folder / "valid.jsonl").string();
    const std::string item = R"({"goal": "g", "sol1": "x", "sol2": "y")";
    write_plainly(folder / "valid-labels.lst", "1\n0\n1\n");
    write_plainly(file, item + "}\n\n" + item + "}\n" + item + ", \"label\": 0}\n");
    const auto items = read_evaluation(find_evaluation_task("piqa"), file, 0);
    ASSERT_EQ(items.size(), 3u);
    EXPECT_EQ(items[0].answer, 1);
    EXPECT_EQ(items[1].answer, 0);
    EXPECT_EQ(items[2].answer, 0) << "its own";
    write_plainly(folder / "valid-labels.lst", "1\n");
    EXPECT_THROW(read_evaluation(find_evaluation_task("piqa"), file, 0), UserError);
}

TEST(EvaluationTask, StopsAtTheLimitAndSkipsBlankLines) {
    const std::string lines = "\n{\"text\": \"a b\"}\n \n{\"text\": \"c d\"}\n{\"text\": \"e f\"}";
    EXPECT_EQ(items_of("lambada", lines).size(), 3u);
    EXPECT_EQ(items_of("lambada", lines, 2).size(), 2u);
}

TEST(EvaluationTask, NamesTheLineThatIsWrong) {
    EXPECT_THAT(error_of("lambada", "{\"text\": \"a b\"}\n{\"txt\": 1}"),
                HasSubstr("line 2: \"text\" is absent"));
    EXPECT_THAT(error_of("lambada", "[1]"), HasSubstr("item 1: 1 is no object"));
    EXPECT_THAT(error_of("lambada", "{"), HasSubstr("line 1"));
    EXPECT_THAT(error_of("lambada", ""), HasSubstr("has no items"));
    EXPECT_THAT(error_of("piqa", R"({"goal": "g", "sol1": "x", "sol2": "y", "label": 2})"),
                HasSubstr("\"label\" is 2, not one of 0 to 1"));
    EXPECT_THAT(error_of("winogrande",
                         R"({"sentence": "no gap", "option1": "", "option2": "", "answer": "1"})"),
                HasSubstr("has no _"));
    EXPECT_THAT(error_of("arc_easy", R"({"question": "q", "choices": {"text": ["a"],)"
                                     R"( "label": ["A"]}, "answerKey": "B"})"),
                HasSubstr("answerKey \"B\""));
    EXPECT_THROW(find_evaluation_task("helaswag"), UserError);
}

TEST(EncodePair, MovesSpacesAndSplitsBehindTheContext) {
    const auto bytes = make_byte_tokenizer();
    const ContinuationRequest pair = encode_pair(*bytes, "ab \n", " c");
    EXPECT_EQ(pair.context, (std::vector<int32_t>{'a', 'b'}));
    EXPECT_EQ(pair.continuation, (std::vector<int32_t>{' ', '\n', ' ', 'c'}));
    EXPECT_THROW(encode_pair(*bytes, " ", "c"), UserError);
    const auto llama = open_tokenizer(
        "json:" + (source_tree() / "tests/datasets/fixtures/llama.json").string(), "");
    EXPECT_EQ(encode_pair(*llama, "the", " king").context.front(), 1);  // <s>
    EXPECT_EQ(encode_pair(*llama, "", "king").context, std::vector<int32_t>{1});
}

TEST(EvaluationLine, TreatsTextAsPythonDoes) {
    EXPECT_EQ(stripped("\x1c \xC2\xA0x y\n\xE3\x80\x80"), "x y");
    EXPECT_EQ(capitalized("éA ÄB Ως"), "Éa äb ως");
    EXPECT_EQ(capitalized("ßA ß"), "Ssa ß");
    EXPECT_EQ(with_all("a   b", "  ", " "), "a  b");
    EXPECT_EQ(count_characters("naïve 🙂"), 7u);
}

TEST(EvaluationTask, RteComesInTwoForms) {
    const std::string prompt = "It rains.\nQuestion: It is wet. True or False?\nAnswer:";
    const auto glue =
        items_of("rte", R"({"sentence1": "It rains.", "sentence2": "It is wet.", "label": 1})");
    EXPECT_EQ(written(glue), prompt + "| True\n" + prompt + "| False\n");
    EXPECT_EQ(glue[0].answer, 1);
    const auto super = items_of(
        "rte", R"({"premise": "It rains.", "hypothesis": "It is wet.", "label": "entailment"})");
    EXPECT_EQ(written(super), written(glue));
    EXPECT_EQ(super[0].answer, 0);
    EXPECT_THAT(error_of("rte", R"({"premise": "a", "hypothesis": "b", "label": "yes"})"),
                HasSubstr("not_entailment"));
}

}  // namespace
}  // namespace headroom
