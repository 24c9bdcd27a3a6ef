#include "datasets/tasks/task.h"

#include <charconv>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "datasets/streams.h"
#include "datasets/tasks/tasks.h"

namespace headroom {
namespace {

int64_t parse_option(const TaskOption& option, const std::string& text, const DataSpec& spec,
                     const std::string& key) {
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end || value < option.least || value > option.most)
        throw UserError(
            fmt::format("{}: option {}={} of \"{}\" is out of range", key, option.key, text,
                        spec.text),
            fmt::format("give a whole number from {} to {}", option.least, option.most));
    return value;
}

TaskOptions parse_task_options(const TaskInfo& task, const DataSpec& spec, const std::string& key) {
    TaskOptions values;
    std::vector<std::string> known;
    for (const TaskOption& option : task.options) {
        values[option.key] = option.value;
        known.push_back(option.key);
        if (const auto given = spec.options.find(option.key); given != spec.options.end())
            values[option.key] = parse_option(option, given->second, spec, key);
    }
    for (const auto& [name, text] : spec.options)
        if (!values.count(name))
            throw UserError(fmt::format("{}: task:{} has no option \"{}\"{}", key, task.name, name,
                                        known.empty() ? "" : suggestion(name, known)),
                            "headroom data list shows every task with its options");
    return values;
}

}  // namespace

std::vector<TaskInfo> list_tasks() {
    return {grammar_task(), induction_task(), copy_task(), regression_task()};
}

std::unique_ptr<SequenceSource> open_task(const DataSpec& spec, const std::string& key) {
    std::vector<std::string> known;
    for (const TaskInfo& task : list_tasks()) {
        if (task.name == spec.name) return task.make(parse_task_options(task, spec, key));
        known.push_back(task.name);
    }
    throw UserError(
        fmt::format("{}: there is no task \"{}\"{}", key, spec.name, suggestion(spec.name, known)),
        "headroom data list shows every task");
}

void require_task_option(bool holds, const std::string& task, const std::string& option,
                         int64_t value, const std::string& how_to_mend) {
    if (!holds)
        throw UserError(fmt::format("task:{} cannot have {}={}", task, option, value), how_to_mend);
}

void TaskSource::require_seq_len(int64_t seq_len, int64_t least, const std::string& what) const {
    if (seq_len <= least)
        throw UserError(fmt::format("train.seq_len = {} is too short for {}", seq_len, describe()),
                        fmt::format("{} need more than {} tokens", what, least));
}

void TaskSource::eval_row(int64_t index, std::span<int32_t> inputs,
                          std::span<int32_t> targets) const {
    CounterRandom random{kEvaluationStream, static_cast<uint64_t>(index)};
    sample(random, inputs, targets);
}

}  // namespace headroom
