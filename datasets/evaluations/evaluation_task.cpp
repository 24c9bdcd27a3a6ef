#include "datasets/evaluations/evaluation_task.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/base/utf8.h"
#include "datasets/evaluations/evaluation_line.h"
#include "datasets/evaluations/grammar_items.h"
#include "datasets/text/line_reader.h"

namespace headroom {
namespace {

constexpr int64_t kMadeItems = 500;

namespace fs = std::filesystem;
using nlohmann::json;
using Item = EvaluationItem;
using Line = EvaluationLine;

/// Choices behind one context, each after a space.
Item choices_behind(const std::string& context, const std::vector<std::string>& choices,
                    int64_t answer) {
    Item item;
    for (const std::string& choice : choices)
        item.choices.push_back(
            {context, " " + choice, static_cast<int64_t>(count_characters(choice))});
    item.answer = answer;
    return item;
}

/// utils.py, preprocess: what WikiHow left in the texts goes.
std::string cleaned(std::string_view raw) {
    const std::string text = with_all(stripped(raw), " [title]", ". ");
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t close = text[at] == '[' ? text.find_first_of("]\n", at) : std::string::npos;
        if (close != std::string::npos && text[close] == ']') {
            at = close + 1;
        } else {
            out += text[at++];
        }
    }
    return with_all(out, "  ", " ");
}

Item read_hellaswag(const Line& line) {
    const std::string context = line.text("ctx_a") + " " + capitalized(line.text("ctx_b"));
    std::vector<std::string> endings = line.texts("endings");
    for (std::string& ending : endings) ending = cleaned(ending);
    return choices_behind(cleaned(line.text("activity_label") + ": " + context), endings,
                          line.number("label", static_cast<int64_t>(endings.size())));
}

/// Lettered choices, in the two forms in which they are distributed: {"text": [...], "label":
/// [...]} or [{"text": ..., "label": ...}, ...].
struct Lettered {
    std::vector<std::string> texts, labels;
};
Lettered lettered(const Line& line, const char* key, bool as_list) {
    if (!as_list) return {line.part(key).texts("text"), line.part(key).texts("label")};
    Lettered all;
    for (const Line& choice : line.parts(key)) {
        all.texts.push_back(choice.text("text"));
        all.labels.push_back(choice.text("label"));
    }
    return all;
}

/// A question with lettered choices; the questions of ARC and OpenBookQA.
Item read_lettered(const Line& line, const char* question, const char* before, const char* behind) {
    const bool original = !line.has(question) || !line.has("choices");
    const Line asked = original ? line.part("question") : line;
    const Lettered choices = lettered(asked, "choices", original);
    const std::string key = stripped_left(line.text("answerKey"));
    const auto found = std::find(choices.labels.begin(), choices.labels.end(), key);
    if (found == choices.labels.end() || choices.labels.size() != choices.texts.size())
        line.refuse(fmt::format("answerKey \"{}\" is no choice's label", key));
    return choices_behind(before + asked.text(original ? "stem" : question) + behind, choices.texts,
                          found - choices.labels.begin());
}

Item read_arc(const Line& line) {
    return read_lettered(line, "question", "Question: ", "\nAnswer:");
}

Item read_openbookqa(const Line& line) {
    return read_lettered(line, "question_stem", "", "");
}

Item read_piqa(const Line& line) {
    return choices_behind("Question: " + line.text("goal") + "\nAnswer:",
                          {line.text("sol1"), line.text("sol2")}, line.number("label", 2));
}

/// The options end two contexts; what comes behind the gap is scored.
Item read_winogrande(const Line& line) {
    const std::string sentence = line.text("sentence");
    const size_t gap = sentence.find('_');
    if (gap == std::string::npos) line.refuse("\"sentence\" has no _");
    const std::string rest = stripped(std::string_view(sentence).substr(gap + 1));
    Item item;
    for (const char* option : {"option1", "option2"}) {
        const std::string context = sentence.substr(0, gap) + line.text(option);
        item.choices.push_back(
            {context, " " + rest, static_cast<int64_t>(count_characters(context))});
    }
    item.answer = line.number("answer", 3) - 1;
    if (item.answer < 0) line.refuse("\"answer\" is 0, not 1 or 2");
    return item;
}

Item read_boolq(const Line& line) {
    return choices_behind(
        line.text("passage") + "\nQuestion: " + line.text("question") + "?\nAnswer:", {"no", "yes"},
        line.number(line.has("label") ? "label" : "answer", 2));
}

/// The last word of a text, cut at spaces alone.
Item read_lambada(const Line& line) {
    const std::string text = line.text("text");
    const size_t cut = text.rfind(' ');
    const std::string word = cut == std::string::npos ? text : text.substr(cut + 1);
    return choices_behind(cut == std::string::npos ? "" : text.substr(0, cut), {word}, 0);
}

Item read_sciq(const Line& line) {
    return choices_behind(
        stripped_left(line.text("support")) + "\nQuestion: " + line.text("question") + "\nAnswer:",
        {line.text("distractor1"), line.text("distractor2"), line.text("distractor3"),
         line.text("correct_answer")},
        3);
}

/// GLUE's lines have the label as a number, SuperGLUE's as a word.
Item read_rte(const Line& line) {
    const bool super = line.has("premise");
    int64_t answer = 0;
    if (super) {
        const std::string label = line.text("label");
        if (label != "entailment" && label != "not_entailment")
            line.refuse(fmt::format("label \"{}\" is not entailment or not_entailment", label));
        answer = label == "entailment" ? 0 : 1;
    } else {
        answer = line.number("label", 2);
    }
    return choices_behind(line.text(super ? "premise" : "sentence1") +
                              "\nQuestion: " + line.text(super ? "hypothesis" : "sentence2") +
                              " True or False?\nAnswer:",
                          {"True", "False"}, answer);
}

bool is_blank(const std::string& line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
}

/// The lines of NAME-labels.lst beside NAME.jsonl; none without such a file.
std::vector<std::string> labels_beside(const std::string& file) {
    const fs::path path(file);
    const std::string name = path.filename().string();
    const fs::path labels = path.parent_path() / (name.substr(0, name.find('.')) + "-labels.lst");
    std::error_code ignored;
    if (!fs::is_regular_file(labels, ignored)) return {};
    std::vector<std::string> all;
    LineReader lines(labels.string());
    for (std::string line; lines.next(line);)
        if (!is_blank(line)) all.push_back(stripped(line));
    return all;
}

/// The elements of a JSON array that the rest of `lines` is, behind `text`.
json whole_array(LineReader& lines, std::string text, const std::string& where) {
    constexpr size_t kMostBytes = size_t{256} << 20;
    for (std::string line; lines.next(line);) {
        text += line;
        text += '\n';
        if (text.size() > kMostBytes)
            throw UserError(fmt::format("{} is an array of more than 256 MiB", where),
                            "write one item a line");
    }
    return parse_json(text, where);
}

/// Calls use(object, where) for each line, or each element of an array, until it says false.
template <class Use>
void for_each_object(const std::string& task, const std::string& file, Use&& use) {
    LineReader lines(file);
    const std::string of = fmt::format("{} file {}", task, file);
    bool any = false;
    std::string line;
    for (int64_t number = 1; lines.next(line); ++number) {
        if (is_blank(line)) continue;
        if (!any && stripped_left(line).starts_with('[')) {
            const json array = whole_array(lines, line + "\n", of);
            for (size_t i = 0; i < array.size(); ++i)
                if (!use(array[i], fmt::format("{}, item {}", of, i + 1))) return;
            return;
        }
        any = true;
        const std::string where = fmt::format("{}, line {}", of, number);
        if (!use(parse_json(line, where), where)) return;
    }
}

}  // namespace

const std::vector<EvaluationTask>& evaluation_tasks() {
    static const std::vector<EvaluationTask> all = {
        {"hellaswag", "endings of a scene (ctx_a, ctx_b, endings, label)", false, read_hellaswag},
        {"arc_easy", "science questions (question, choices, answerKey)", false, read_arc},
        {"arc_challenge", "the harder ones of them", false, read_arc},
        {"piqa", "ways to a goal (goal, sol1, sol2, label)", false, read_piqa},
        {"winogrande", "who is meant (sentence, option1, option2, answer)", false, read_winogrande},
        {"openbookqa", "science with common sense (question_stem, choices, answerKey)", false,
         read_openbookqa},
        {"boolq", "yes or no about a passage (passage, question, label or answer)", false,
         read_boolq},
        {"lambada", "the last word of a passage (text)", true, read_lambada},
        {"sciq", "science exams (support, question, distractor1 to 3, correct_answer)", false,
         read_sciq},
        {"rte", "does it follow (sentence1, sentence2, label; or premise, hypothesis, label)",
         false, read_rte},
        {"grammar_agreement", "of task:grammar: does the verb agree with its subject? (no file)",
         false, nullptr, grammar_agreement_items},
        {"grammar_recall", "of task:grammar: how many animals was it? (no file)", false, nullptr,
         grammar_recall_items},
    };
    return all;
}

const EvaluationTask& find_evaluation_task(const std::string& name) {
    std::vector<std::string> known;
    for (const EvaluationTask& task : evaluation_tasks()) {
        if (task.name == name) return task;
        known.push_back(task.name);
    }
    const std::string meant = nearest(name, known);
    throw UserError(fmt::format("\"{}\" is no zero-shot task{}", name,
                                meant.empty() ? "" : "; did you mean \"" + meant + "\"?"),
                    fmt::format("known are {}", fmt::join(known, ", ")));
}

std::vector<EvaluationItem> read_evaluation(const EvaluationTask& task, const std::string& file,
                                            int64_t limit) {
    if (!task.needs_file()) return task.make(limit > 0 ? limit : kMadeItems);
    const std::vector<std::string> labels = labels_beside(file);
    std::vector<EvaluationItem> items;
    for_each_object(task.name, file, [&](json object, const std::string& where) {
        if (object.is_object() && !object.contains("label") && items.size() < labels.size())
            object["label"] = labels[items.size()];
        items.push_back(task.read(EvaluationLine(object, where)));
        return limit <= 0 || static_cast<int64_t>(items.size()) < limit;
    });
    if (items.empty())
        throw UserError(fmt::format("{} file {} has no items", task.name, file),
                        "give a JSONL file with one item a line");
    return items;
}

ContinuationRequest encode_pair(const Tokenizer& tokenizer, const std::string& context,
                                const std::string& continuation) {
    const std::string kept = stripped_right(context);
    if (kept.empty()) {
        ContinuationRequest request{tokenizer.tokens_before(),
                                    tokenizer.encode_special(context + continuation)};
        const int32_t end = end_of_text(tokenizer);
        if (request.context.empty() && end >= 0) request.context.push_back(end);
        if (request.context.empty())
            throw UserError(fmt::format("an item has no context, and {} no token for the start of "
                                        "a text",
                                        tokenizer.name()),
                            "take a tokenizer with an end-of-text token");
        return request;
    }
    std::vector<int32_t> whole = tokens_to_read(tokenizer, context + continuation);
    std::vector<int32_t> before = tokens_to_read(tokenizer, kept);
    const auto cut = static_cast<std::ptrdiff_t>(std::min(before.size(), whole.size()));
    return {std::move(before), {whole.begin() + cut, whole.end()}};
}

}  // namespace headroom
