#include "datasets/evaluations/scores_file.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/log/array_file.h"

namespace headroom {
namespace {

constexpr std::string_view kScoresFiles = "headroom-eval/";  ///< of every version
constexpr std::string_view kSchema = "headroom-eval/1";

/// The arrays of a task: one number for each item, and behind one another those of all choices.
struct TaskArrays {
    std::vector<int32_t> choices, answer, choice, choice_norm, greedy, hash;
    std::vector<int32_t> characters, tokens;
    std::vector<double> log_probabilities;
};

TaskArrays arrays_of(const TaskResults& task) {
    TaskArrays arrays;
    for (const ItemResult& item : task.items) {
        arrays.choices.push_back(static_cast<int32_t>(item.log_probabilities.size()));
        arrays.answer.push_back(item.answer);
        arrays.choice.push_back(item.choice);
        arrays.choice_norm.push_back(item.choice_norm);
        arrays.greedy.push_back(item.greedy ? 1 : 0);
        arrays.hash.push_back(static_cast<int32_t>(static_cast<uint32_t>(item.hash >> 32)));
        arrays.hash.push_back(static_cast<int32_t>(static_cast<uint32_t>(item.hash)));
        const auto append = [](auto& to, const auto& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        append(arrays.characters, item.characters);
        append(arrays.tokens, item.tokens);
        append(arrays.log_probabilities, item.log_probabilities);
    }
    return arrays;
}

void write_task(ArrayFileWriter& file, const TaskResults& task) {
    const TaskArrays arrays = arrays_of(task);
    const auto items = static_cast<int64_t>(arrays.choices.size());
    const auto choices = static_cast<int64_t>(arrays.tokens.size());
    const std::string group = "/" + task.task;
    const auto of_items = [&](const char* name, const std::vector<int32_t>& values) {
        file.add<int32_t>(group + "/" + name, {items}, values);
    };
    of_items("choices", arrays.choices);
    of_items("answer", arrays.answer);
    of_items("choice", arrays.choice);
    of_items("choice_norm", arrays.choice_norm);
    of_items("greedy", arrays.greedy);
    file.add<int32_t>(group + "/hash", {items, 2}, arrays.hash);
    file.add<int32_t>(group + "/characters", {choices}, arrays.characters);
    file.add<int32_t>(group + "/tokens", {choices}, arrays.tokens);
    file.add<double>(group + "/log_probabilities", {choices}, arrays.log_probabilities, "nats");
    file.attribute(group, "file", task.file);
}

class TaskReader {
  public:
    TaskReader(const ArrayFile& file, std::string task) : file_(file), task_(std::move(task)) {
        arrays_.choices = numbers("choices");
        arrays_.answer = numbers("answer");
        arrays_.choice = numbers("choice");
        arrays_.choice_norm = numbers("choice_norm");
        arrays_.greedy = numbers("greedy");
        arrays_.hash = numbers("hash");
        arrays_.characters = numbers("characters");
        arrays_.tokens = numbers("tokens");
        arrays_.log_probabilities = file.read_all<double>(path("log_probabilities"));
        check();
    }

    TaskResults read() const {
        const EvaluationTask& kind = find_evaluation_task(task_);
        TaskResults results{
            task_, printable(file_.attribute("/" + task_, "file")), kind.one_choice, {}};
        size_t from = 0;
        for (size_t i = 0; i < arrays_.choices.size(); ++i) {
            const auto end = from + static_cast<size_t>(arrays_.choices[i]);
            ItemResult item;
            const auto part = [&](const auto& all) {
                return std::remove_cvref_t<decltype(all)>(
                    all.begin() + static_cast<std::ptrdiff_t>(from),
                    all.begin() + static_cast<std::ptrdiff_t>(end));
            };
            item.log_probabilities = part(arrays_.log_probabilities);
            item.characters = part(arrays_.characters);
            item.tokens = part(arrays_.tokens);
            item.answer = arrays_.answer[i];
            item.choice = arrays_.choice[i];
            item.choice_norm = arrays_.choice_norm[i];
            item.greedy = arrays_.greedy[i] != 0;
            item.hash = uint64_t{static_cast<uint32_t>(arrays_.hash[2 * i])} << 32 |
                        static_cast<uint32_t>(arrays_.hash[2 * i + 1]);
            results.items.push_back(std::move(item));
            from = end;
        }
        return results;
    }

  private:
    std::string path(const char* name) const { return fmt::format("/{}/{}", task_, name); }
    std::vector<int32_t> numbers(const char* name) const {
        return file_.read_all<int32_t>(path(name));
    }

    void check() const {
        const size_t items = arrays_.choices.size();
        bool fits = items > 0 && arrays_.hash.size() == 2 * items;
        for (const auto* of_items :
             {&arrays_.answer, &arrays_.choice, &arrays_.choice_norm, &arrays_.greedy})
            fits = fits && of_items->size() == items;
        int64_t choices = 0;
        for (const int32_t count : arrays_.choices) {
            fits = fits && count > 0;
            choices += count;
        }
        const auto all = static_cast<int64_t>(arrays_.tokens.size());
        fits = fits && choices == all && static_cast<int64_t>(arrays_.characters.size()) == all &&
               static_cast<int64_t>(arrays_.log_probabilities.size()) == all;
        if (!fits)
            throw UserError(fmt::format("{}: the arrays of {} do not fit together",
                                        file_.path().string(), task_),
                            "write it again with headroom eval --out");
    }

    const ArrayFile& file_;
    std::string task_;
    TaskArrays arrays_;
};

int64_t step_of(const std::string& text) {
    int64_t step = -1;
    std::from_chars(text.data(), text.data() + text.size(), step);
    return step;
}

}  // namespace

const TaskResults* EvaluationScores::find(const std::string& task) const {
    const auto found = std::find_if(tasks.begin(), tasks.end(),
                                    [&](const TaskResults& each) { return each.task == task; });
    return found == tasks.end() ? nullptr : &*found;
}

void write_scores(const EvaluationScores& scores, const std::filesystem::path& path) {
    ArrayFileWriter file(path, kScoresFiles);
    file.attribute("schema", kSchema);
    file.attribute("checkpoint", scores.checkpoint);
    file.attribute("step", std::to_string(scores.step));
    file.attribute("tokenizer", scores.tokenizer);
    file.attribute("precision", scores.precision);
    for (const TaskResults& task : scores.tasks) write_task(file, task);
    file.commit();
}

EvaluationScores read_scores(const std::filesystem::path& path) {
    const ArrayFile file(path);
    if (const std::string schema = file.attribute("schema"); schema != kSchema)
        throw UserError(fmt::format("{} is no file of scores: its schema is \"{}\"", path.string(),
                                    printable(schema)),
                        "give one that headroom eval --out wrote");
    const auto text = [&](const char* name) { return printable(file.attribute(name)); };
    EvaluationScores scores{text("checkpoint"),
                            step_of(file.attribute("step")),
                            text("tokenizer"),
                            text("precision"),
                            {}};
    for (const std::string& task : file.names("/"))
        scores.tasks.push_back(TaskReader(file, task).read());
    return scores;
}

}  // namespace headroom
