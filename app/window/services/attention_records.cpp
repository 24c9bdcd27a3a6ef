#include "app/window/services/attention_records.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/checkpoint/checkpoint.h"
#include "core/probe/probe_file.h"
#include "core/probe/probe_list.h"
#include "core/study/run_folder.h"
#include "panels/inspector/record_source.h"

namespace headroom {

namespace fs = std::filesystem;

std::vector<int64_t> recorded_steps(const fs::path& run) {
    std::vector<int64_t> steps;
    for (const ProbeFileName& file : list_probe_files(run))
        if (file.kind == "attention") steps.push_back(file.step);
    return steps;
}

/// The step that was asked for, or the last before it, or the first of all.
static int64_t nearest_step(const std::vector<int64_t>& steps, int64_t wanted) {
    if (steps.empty()) return -1;
    if (wanted < 0) return steps.back();
    const auto after = std::upper_bound(steps.begin(), steps.end(), wanted);
    return after == steps.begin() ? steps.front() : *std::prev(after);
}

AttentionRecords::Answer AttentionRecords::look(const Question& question) {
    Answer answer;
    for (const CheckpointFiles& files : list_checkpoints(RunFolder{question.run}.checkpoints()))
        answer.checkpoints.push_back(files.step);
    std::vector<int64_t> recorded;
    if (!question.own_text) recorded = recorded_steps(question.run);
    std::set_union(answer.checkpoints.begin(), answer.checkpoints.end(), recorded.begin(),
                   recorded.end(), std::back_inserter(answer.steps));
    const bool newest_record = question.step < 0 && !recorded.empty();
    answer.step = nearest_step(newest_record ? recorded : answer.steps, question.step);
    if (answer.step < 0) return answer;
    fs::path file = RunFolder{question.run}.probes() / probe_file_name("attention", answer.step);
    if (question.own_text) {
        const auto at = question.files.find(answer.step);
        if (at == question.files.end()) return answer;
        file = at->second;
    }
    open(file, fmt::format("{} · step {}", question.name, answer.step), answer);
    return answer;
}

void AttentionRecords::open(const fs::path& file, const std::string& title, Answer& answer) {
    std::error_code missing;
    const auto time = fs::last_write_time(file, missing);
    if (missing) {
        opened_.erase(file);
        return;
    }
    constexpr size_t kMostOpen = 16;  // a file each; who looks at one holds it, too
    if (opened_.size() >= kMostOpen && !opened_.contains(file)) opened_.clear();
    Opened& opened = opened_[file];
    if (opened.time != time || (opened.source && opened.source->info().title != title)) {
        opened = {time, nullptr, ""};
        try {
            opened.source = std::make_shared<RecordSource>(file, title);
        } catch (const std::exception& error) {
            opened.problem = error.what();
        }
    }
    answer.source = opened.source;
    answer.problem = opened.problem;
}

}  // namespace headroom
