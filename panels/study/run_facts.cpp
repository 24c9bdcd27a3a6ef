#include "panels/study/run_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/parse_number.h"
#include "core/log/named_series.h"
#include "core/log/step_rate.h"
#include "core/study/measure.h"
#include "panels/base/number_format.h"
#include "panels/study/job_difference.h"
#include "panels/study/run_groups.h"
#include "panels/study/run_pairing.h"

namespace headroom {
namespace {

RunValue text(std::string value) {
    return {std::move(value), std::nullopt};
}

RunValue whole(std::optional<int64_t> value) {
    if (!value) return {};
    return {format_integer(*value), static_cast<double>(*value)};
}

RunValue loss(double value) {
    if (std::isnan(value)) return {};
    return {format_loss(value), value};
}

int64_t tokens_of(const Run& run) {
    return run.series->train.tokens.empty() ? 0 : run.series->train.tokens.back();
}

/// One column that every study has.
struct TableColumn {
    const char* name;
    RunValue (*value)(const Run& run, const JobFacts* job);
};

template <auto Count>
RunValue count_of(const Run&, const JobFacts* job) {
    return job ? whole(job->*Count) : RunValue{};
}

constexpr std::array kTableColumns{
    TableColumn{"run", [](const Run& run, const JobFacts*) { return text(run.id); }},
    TableColumn{"name", [](const Run& run, const JobFacts*) { return text(run.name); }},
    TableColumn{"group", [](const Run& run, const JobFacts*) { return text(run.group); }},
    TableColumn{"seed",
                [](const Run& run, const JobFacts*) {  // nothing is known of an imported run's
                    return run.job || run.seed != 0 ? whole(run.seed) : RunValue{};
                }},
    TableColumn{"state",
                [](const Run& run, const JobFacts*) {
                    return text(run.planned ? "planned"
                                            : std::string(name_of(
                                                  effective_phase(run.status.phase, run.request))));
                }},
    TableColumn{"step", [](const Run& run, const JobFacts*) { return whole(run.status.step); }},
    TableColumn{"tokens", [](const Run& run, const JobFacts*) { return whole(tokens_of(run)); }},
    TableColumn{"loss", [](const Run& run, const JobFacts*) { return loss(run.status.loss); }},
    TableColumn{"val_loss",
                [](const Run& run, const JobFacts*) { return loss(run.status.val_loss); }},
    TableColumn{
        "best_val_loss",
        [](const Run& run, const JobFacts*) { return loss(best_of(validation_curve(run))); }},
    TableColumn{"tokens_per_second",
                [](const Run& run, const JobFacts*) {
                    const auto rate = median_step_rate(run.series->train);
                    if (!rate) return RunValue{};
                    const double tokens = rate->tokens_per_second;
                    return RunValue{format_count(std::round(tokens)), tokens};
                }},
    TableColumn{"seconds",
                [](const Run& run, const JobFacts*) {
                    const double seconds = run.status.seconds;
                    return seconds > 0 ? RunValue{format_duration(seconds), seconds} : RunValue{};
                }},
    TableColumn{"started", [](const Run& run, const JobFacts*) { return text(run.started); }},
    TableColumn{"params", count_of<&JobFacts::params>},
    TableColumn{"params_active", count_of<&JobFacts::params_active>},
    TableColumn{"kv_bytes_per_token", count_of<&JobFacts::kv_bytes_per_token>},
    TableColumn{"flops_per_token", count_of<&JobFacts::flops_per_token>},
    TableColumn{"tags",
                [](const Run& run, const JobFacts*) {
                    return text(fmt::format("{}", fmt::join(run.label.tags, ", ")));
                }},
    TableColumn{"note", [](const Run& run, const JobFacts*) { return text(run.label.note); }},
};

const TableColumn* find_table_column(const std::string& name) {
    const auto at = std::find_if(kTableColumns.begin(), kTableColumns.end(),
                                 [&](const TableColumn& column) { return column.name == name; });
    return at == kTableColumns.end() ? nullptr : &*at;
}

JobFacts facts_of(Job job, int64_t vocab_size) {
    job.model.vocab_size = vocab_size;
    JobFacts facts;
    facts.keys = identify(job).keys;
    if (vocab_size == 0) facts.keys.erase("model.vocab_size");  // not 0: not known yet
    const CacheCount cache = count_cache(job.model);
    if (cache.decodable) facts.kv_bytes_per_token = cache.bytes_per_token(DType::kBF16);
    if (job.model.vocab_size == 0) return facts;
    const ParameterCount count = count_parameters(job.model);
    facts.params = count.total;
    facts.params_active = count.active;
    facts.flops_per_token = count_flops(job.model, job.train.seq_len).training();
    return facts;
}

RunValue value_of_json(const std::string& json) {
    RunValue value{short_value(json, 60), parse_number(json)};
    const std::string whole = whole_value(json);
    const bool tells_all =
        value.number ? parse_number(value.text) == value.number : whole == value.text;
    if (!tells_all) value.whole = whole;
    return value;
}

RunValue last_of_series(const Run& run, const std::string& name) {
    const auto series = find_series(*run.series, name);
    if (!series || series->size == 0) return {};
    const double value = series->value(series->size - 1);
    return {fmt::format("{:.6g}", value), value};
}

/// That of the job, or of a run that has begun on the same data; 0 where neither tells.
int64_t vocabulary_of(const Job& job, const std::vector<RunPointer>& runs) {
    if (job.model.vocab_size > 0) return job.model.vocab_size;
    for (const RunPointer& run : runs)
        if (run->job && run->job->model.vocab_size > 0 && run->job->data == job.data &&
            run->job->train.objective == job.train.objective)
            return run->job->model.vocab_size;
    return 0;
}

}  // namespace

void RunFacts::set_runs(std::vector<RunPointer> runs) {
    std::map<std::shared_ptr<const Job>, JobFacts> jobs;
    for (const RunPointer& run : runs) {
        if (!run->job || jobs.contains(run->job)) continue;
        const bool tells = run->job->model.vocab_size > 0;  // else another run may by now
        const auto known = jobs_.find(run->job);
        jobs[run->job] = tells && known != jobs_.end()
                             ? std::move(known->second)
                             : facts_of(*run->job, vocabulary_of(*run->job, runs));
    }
    runs_ = std::move(runs);
    jobs_ = std::move(jobs);
}

const JobFacts* RunFacts::job_facts(const Run& run) const {
    const auto known = jobs_.find(run.job);
    return known == jobs_.end() ? nullptr : &known->second;
}

std::vector<std::string> RunFacts::columns() const {
    std::vector<std::string> names;
    for (const TableColumn& column : kTableColumns) names.emplace_back(column.name);
    std::set<std::string> keys, series;
    for (const auto& [job, facts] : jobs_)
        for (const auto& [key, value] : facts.keys) keys.insert(key);
    for (const RunPointer& run : runs_)
        for (const SeriesName& each : list_series(*run->series)) series.insert(each.name);
    names.insert(names.end(), keys.begin(), keys.end());
    names.insert(names.end(), series.begin(), series.end());
    return names;
}

std::string RunFacts::find_column(const std::string& word) const {
    const std::vector<std::string> all = columns(), logged = series_of_every_log();
    for (const auto* names : {&all, &logged})  // an imported log may know nothing of the latter
        if (std::find(names->begin(), names->end(), word) != names->end()) return word;
    std::vector<std::string> ending;
    for (const std::string& name : all)
        if (name.ends_with("." + word) || name == "scalars/" + word) ending.push_back(name);
    if (ending.size() == 1) return ending.front();
    if (ending.size() > 1)
        throw UserError(fmt::format("{} may be {}", word, fmt::join(ending, " or ")),
                        "write it out");
    for (const auto& [measure, column] :
         {std::pair{"final", "val_loss"}, {"best", "best_val_loss"}})
        if (measure_of_word(word) == measure) return column;
    throw UserError(
        fmt::format("there is no column, key or series \"{}\"{}", word, suggestion(word, all)));
}

std::vector<std::string> RunFacts::differing_keys(const std::vector<RunPointer>& runs) const {
    std::vector<const std::map<std::string, std::string>*> keys;
    for (const RunPointer& run : runs)
        if (const JobFacts* facts = job_facts(*run)) keys.push_back(&facts->keys);
    return keys.empty() ? std::vector<std::string>{} : headroom::differing_keys(keys);
}

std::string RunFacts::group_identity(const Run& run, const std::string& column) const {
    if (find_table_column(column) == nullptr && column.find('/') == std::string::npos)
        for (const RunPointer& each : runs_)
            if (each->group == run.group) return value(*each, column).identity();
    return value(run, column).identity();
}

RunValue RunFacts::value(const Run& run, const std::string& column) const {
    const JobFacts* facts = job_facts(run);
    if (const TableColumn* known = find_table_column(column)) return known->value(run, facts);
    if (column.find('/') != std::string::npos) return last_of_series(run, column);
    if (!facts) return {};
    const auto key = facts->keys.find(column);
    return key == facts->keys.end() ? RunValue{} : value_of_json(key->second);
}

}  // namespace headroom
