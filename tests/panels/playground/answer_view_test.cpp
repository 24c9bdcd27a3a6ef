#include "panels/playground/answer_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "panels/playground/event_lines.h"

namespace headroom {
namespace {

/// All that the model said, without the prompt.
std::string answer_text(const Answer& answer) {
    std::string text;
    for (const GeneratedToken& token : answer.tokens) text += token.text;
    return text + answer.end.text;
}

using testing::HasSubstr;

Answer loading() {
    Answer answer;
    answer.phase = AnswerPhase::kLoading;
    return answer;
}

GeneratedToken token(int32_t id, const std::string& text, double seconds = 0,
                     double probability = 0.5) {
    return {{id, text, probability}, text, {{id, text, probability}, {7, "x", 0.25}}, seconds};
}

/// An answer that speaks: a prompt of 4 tokens, 100 bytes of cache per token.
Answer speaking() {
    Answer answer = loading();
    take_event(answer, GenerationStart{4, 10, 1400, 100, "float32"});
    take_event(answer, PromptRead{0.5});
    return answer;
}

TEST(Answer, GrowsWithTheEvents) {
    Answer answer = loading();
    EXPECT_EQ(progress_line(answer), "reading the checkpoint …");
    take_event(answer, GenerationStart{4, 10, 1400, 100, "float32"});
    EXPECT_EQ(progress_line(answer), "reading the prompt of 4 tokens …");
    EXPECT_EQ(filled_cache_bytes(answer), 0);
    take_event(answer, PromptRead{0.5});
    take_event(answer, token(1, "a", 0.1));
    EXPECT_EQ(progress_line(answer), "generating, 1 of 10 tokens");
    take_event(answer, token(2, "b", 0.25));
    take_event(answer, token(3, "c", 0.5));
    EXPECT_EQ(answer_text(answer), "abc");
    EXPECT_EQ(progress_line(answer), "generating, 3 of 10 tokens · 4.0 tokens/s");
    EXPECT_EQ(filled_cache_bytes(answer), 600) << "the last token is not read yet";
    take_event(answer, GenerationEnd{"length", "!", 3, 1234});
    EXPECT_EQ(answer.phase, AnswerPhase::kDone);
    EXPECT_EQ(answer_text(answer), "abc!");
    EXPECT_EQ(progress_line(answer), "3 tokens · 1,234 tokens/s");
    EXPECT_EQ(cache_line(answer),
              "cache 600 B of 1.37 KiB, 100 B per token in float32 · prompt of 4 tokens in 500 ms");
}

TEST(Answer, SaysThatOthersShareTheMachine) {
    Answer answer = speaking();
    answer.shared = true;
    take_event(answer, token(1, "a", 0.1));
    take_event(answer, token(2, "b", 0.5));
    EXPECT_THAT(progress_line(answer), HasSubstr("2.0 tokens/s, sharing the processor"));
}

TEST(Answer, AnEndThatWasAskedForKeepsWhatWasSaid) {
    Answer answer = speaking();
    take_event(answer, token(1, "a"));
    take_end(answer, {true, 9, ""}, true);
    EXPECT_EQ(answer.phase, AnswerPhase::kStopped);
    EXPECT_THAT(progress_line(answer), HasSubstr("stopped after 1 token"));
    EXPECT_EQ(answer_text(answer), "a");
}

TEST(Answer, AWorkerThatRefusesTellsItsOneLine) {
    Answer answer = loading();
    take_end(answer, {false, 2, "note: n_head assumed\nerror: no tokenizer; give one\n"}, false);
    EXPECT_EQ(answer.phase, AnswerPhase::kFailed);
    EXPECT_EQ(progress_line(answer), "no tokenizer; give one");
    EXPECT_THAT(answer.notes, testing::ElementsAre("n_head assumed"));
}

TEST(Answer, ACrashCostsOnlyTheAnswer) {
    Answer answer = speaking();
    take_end(answer, {true, 11, ""}, false);
    EXPECT_THAT(progress_line(answer), HasSubstr("signal 11"));
    Answer silent = speaking();
    take_end(silent, {false, 0, ""}, false);
    EXPECT_THAT(progress_line(silent), HasSubstr("ended early"));
}

TEST(Answer, AnEndAfterTheLastEventChangesNothing) {
    Answer answer = speaking();
    take_event(answer, GenerationEnd{"end_of_text", "", 0, 0});
    take_end(answer, {false, 0, ""}, false);
    EXPECT_EQ(answer.phase, AnswerPhase::kDone);
    EXPECT_EQ(progress_line(answer), "0 tokens, ended by itself");
}

TEST(Answer, EventsOutOfTurnAreAFailure) {
    Answer answer = loading();
    take_event(answer, token(1, "a"));
    EXPECT_EQ(answer.phase, AnswerPhase::kFailed);
    Answer twice = speaking();
    take_event(twice, PromptRead{1});
    EXPECT_EQ(twice.phase, AnswerPhase::kFailed);
}

TEST(Answer, ATokenIsReadOutWithWhatItMightHaveBeen) {
    Answer answer = speaking();
    take_event(answer, token(10, "\n"));
    take_event(answer, token(2, "b", 1, 0.0001));
    EXPECT_EQ(token_line(answer, 0), "token 1 “↵” 50 % · instead “x” 25 %");
    EXPECT_THAT(token_line(answer, 1), HasSubstr("“b” < 0.1 %"));
}

TEST(Answer, SurpriseGrowsAsProbabilityFalls) {
    EXPECT_EQ(surprise(1), 0);
    EXPECT_DOUBLE_EQ(surprise(0.0625), 0.5);
    EXPECT_EQ(surprise(1e-9), 1);
    EXPECT_EQ(surprise(0), 1);
    EXPECT_EQ(surprise(std::nan("")), 1);
}

TEST(Answer, TwoAnswersAreComparedTokenByToken) {
    Answer a = speaking(), b = speaking();
    EXPECT_EQ(likeness_line(a, b, "baseline"), "");
    for (Answer* answer : {&a, &b}) take_event(*answer, token(1, "a"));
    EXPECT_EQ(likeness_line(a, b, "baseline"), "") << "they may yet differ";
    take_event(a, token(2, "b"));
    take_event(b, token(3, "c"));
    EXPECT_EQ(common_tokens(a, b), 1u);
    EXPECT_EQ(likeness_line(a, b, "baseline"), "as baseline for 1 token");
    Answer other = speaking();
    take_event(other, token(7, "z"));
    EXPECT_EQ(likeness_line(other, b, "baseline"), "another first token than baseline");
    Answer c = a, d = a;
    for (Answer* answer : {&c, &d}) take_event(*answer, GenerationEnd{"length", "", 2, 1});
    EXPECT_EQ(likeness_line(c, d, "baseline"), "word for word as baseline");
}

TEST(EventLines, AreTheSameHoweverTheBytesArrive) {
    const std::string text =
        to_line(PromptRead{1}) + "\n" + to_line(GenerationEnd{"length", "é", 1, 2}) + "\n";
    EventLines whole;
    const auto expected = whole.take(text);
    ASSERT_EQ(expected.size(), 2u);
    for (size_t size : {1u, 3u, 7u}) {
        EventLines lines;
        std::vector<GenerationEvent> events;
        for (size_t at = 0; at < text.size(); at += size)
            for (const GenerationEvent& event : lines.take(std::string_view(text).substr(at, size)))
                events.push_back(event);
        EXPECT_EQ(events, expected);
    }
    EXPECT_TRUE(EventLines().take(text.substr(0, 5)).empty());
}

TEST(EventLines, GarbageIsRefused) {
    EXPECT_THROW(EventLines().take("Segmentation fault\n"), UserError);
    EXPECT_THROW(EventLines().take(std::string(2 << 20, 'x')), UserError);
}

}  // namespace
}  // namespace headroom
