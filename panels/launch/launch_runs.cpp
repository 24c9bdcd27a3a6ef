#include "panels/launch/launch_runs.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/kv_cache.h"
#include "core/account/training_cost.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/data/data_paths.h"
#include "core/study/study.h"
#include "panels/base/number_format.h"

namespace headroom {

namespace {

constexpr int64_t kMostSeeds = 1000;

/// A folder name that needs no quoting: letters, digits, dots, dashes, underscores.
std::string slug(const std::string& text) {
    std::string result;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '_';
        if (plain) result += c;
        if (!plain && !result.empty() && result.back() != '-') result += '-';
    }
    while (!result.empty() && (result.back() == '-' || result.back() == '.')) result.pop_back();
    while (!result.empty() && (result.front() == '-' || result.front() == '.'))
        result.erase(result.begin());
    return result;
}

std::string free_id(const std::string& wanted, std::set<std::string>& taken) {
    std::string id = wanted;
    for (int n = 2; taken.contains(id); ++n) id = fmt::format("{}-{}", wanted, n);
    taken.insert(id);
    return id;
}

/// What the seed does not change.
void count(LaunchRun& run, const LaunchPlace& place) {
    run.tokens = training_tokens(run.job.train);
    run.kv_bytes_per_token = count_cache(run.job.model).bytes_per_token(DType::kBF16);
    std::optional<Job> planned = planned_job(run, place);
    if (!planned) return;
    const TrainingCost cost = training_cost(*planned);
    run.vocab_size = planned->model.vocab_size;
    run.params_total = cost.parameters.total;
    run.params_non_embedding = cost.parameters.non_embedding;
    run.params_active = cost.parameters.active;
    run.flops = cost.flops;
    run.disk_bytes = cost.disk_bytes;
    if (place.flops_per_second > 0) run.seconds = run.flops / place.flops_per_second;
    planned->name = "";
    planned->seed = 0;
    planned->train.steps = 1;
    planned->train.warmup_steps = 0;
    planned->train.decay_steps = 0;
    run.memory_key = to_json(*planned).dump();
    const auto memory = place.memory.find(run.memory_key);
    if (memory != place.memory.end() && memory->second.error.empty())
        run.memory = memory->second.memory;
}

/// "text:book.txt" from where the form was filled in; the worker may start elsewhere.
std::string absolute_spec(const std::string& spec, const std::string& folder) {
    if (folder.empty()) return spec;
    return change_paths(spec, [&](const std::string& path) {
        return path.front() == '/' ? path : fmt::format("{}/{}", folder, path);
    });
}

int64_t parse_whole(std::string_view text, const std::string& all) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || value < 0)
        throw UserError(fmt::format("seeds = \"{}\": \"{}\" is not a whole number", all, text),
                        "write 1, or 1, 2, 5, or 1-3");
    return value;
}

}  // namespace

std::string cost_text(const std::vector<LaunchRun>& runs) {
    double flops = 0, seconds = 0;
    int64_t bytes = 0;
    for (const LaunchRun& run : runs) {
        if (!(run.flops > 0)) return "";
        flops += run.flops;
        seconds += run.seconds;
        bytes += run.disk_bytes;
    }
    if (runs.empty()) return "";
    const std::string time = seconds > 0 ? fmt::format("about {} at the speed of this study's runs",
                                                       format_duration(seconds))
                                         : "time unknown until a run has trained here";
    const bool probed = std::any_of(runs.begin(), runs.end(),
                                    [](const LaunchRun& run) { return !run.job.probes.empty(); });
    return fmt::format("{}: {}, {} of disk{}, {} FLOPs",
                       runs.size() == 1 ? "1 run" : fmt::format("{} runs", runs.size()), time,
                       format_bytes(bytes), probed ? " and the probes" : "", format_count(flops));
}

std::vector<int64_t> parse_seeds(const std::string& text) {
    std::set<int64_t> seeds;
    std::string_view rest = text;
    while (true) {
        const size_t comma = rest.find(',');
        const std::string_view part = rest.substr(0, comma);
        const size_t dash = part.find('-', 1);
        const int64_t first = parse_whole(part.substr(0, dash), text);
        const int64_t last =
            dash == std::string_view::npos ? first : parse_whole(part.substr(dash + 1), text);
        if (last < first || last - first >= kMostSeeds)
            throw UserError(
                fmt::format("seeds = \"{}\": {}-{} is not a range", text, first, last),
                fmt::format("give the smaller one first, at most {} seeds", kMostSeeds));
        for (int64_t seed = first; seed <= last; ++seed) seeds.insert(seed);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    return {seeds.begin(), seeds.end()};
}

std::string shell_quoted(const std::string& argument) {
    const std::string_view safe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=:,+@%";
    if (!argument.empty() && argument.find_first_not_of(safe) == std::string::npos) return argument;
    std::string quoted = "'";
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::optional<Job> planned_job(const LaunchRun& run, const LaunchPlace& place) {
    Job job = run.job;
    if (job.model.vocab_size == 0 && place.data && place.data->vocab_size > 0)
        job.model.vocab_size = place.data->vocab_size + job.train.added_tokens();
    if (job.model.vocab_size <= 0) return std::nullopt;
    return job;
}

/// Memory that is not known yet tells none apart.
static bool count_alike(const LaunchRun& a, const LaunchRun& b) {
    return a.variant == b.variant && a.params_total == b.params_total &&
           a.params_non_embedding == b.params_non_embedding && a.params_active == b.params_active &&
           a.tokens == b.tokens && a.kv_bytes_per_token == b.kv_bytes_per_token &&
           (!a.memory || !b.memory || a.memory->total() == b.memory->total());
}

std::vector<CountedRuns> counted_runs(const std::vector<LaunchRun>& runs) {
    std::vector<CountedRuns> rows;
    for (const LaunchRun& run : runs) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const CountedRuns& each) {
            return count_alike(*each.first, run);
        });
        if (row == rows.end()) {
            rows.push_back({&run, run.listed});
            continue;
        }
        if (!row->first->memory) row->first = &run;
        std::erase_if(row->listed, [&](const std::string& value) {
            return std::find(run.listed.begin(), run.listed.end(), value) == run.listed.end();
        });
    }
    return rows;
}

std::string describe_memory(const RunMemory& memory) {
    const MemoryLedger& ledger = memory.training;
    const std::string probe = memory.largest_probe > 0
                                  ? fmt::format("\nlargest probe {}, while it is made",
                                                format_bytes(memory.largest_probe))
                                  : "";
    return fmt::format(
        "weights {}, gradients {}, optimizer {}\nactivations {}, inputs and results {}, workspace "
        "{}{}",
        format_bytes(ledger.weights), format_bytes(ledger.gradients),
        format_bytes(ledger.optimizer), format_bytes(ledger.activations),
        format_bytes(ledger.inputs_and_results), format_bytes(ledger.workspace), probe);
}

std::vector<LaunchRun> plan_runs(const std::vector<LaunchVariant>& variants,
                                 const std::vector<int64_t>& seeds, const std::string& name,
                                 const LaunchPlace& place) {
    std::vector<LaunchRun> runs;
    std::set<std::string> taken = place.taken;
    for (const LaunchVariant& variant : variants) {
        LaunchRun common;
        common.variant = variant.arch;
        common.job = variant.job;
        DataConfig& data = common.job.data;
        for (std::string* spec : {&data.train, &data.val, &data.tokenizer})
            *spec = absolute_spec(*spec, place.working_folder);
        common.job.name = name.empty() ? variant.arch : name + " " + variant.arch;
        common.listed = variant.listed;
        for (const std::string& value : variant.listed) common.job.name += " " + value;
        count(common, place);
        for (const int64_t seed : seeds) {
            LaunchRun run = common;
            run.seed = run.job.seed = seed;
            run.id = free_id(id_of_seed(slug(run.job.name), seed), taken);
            const std::string folder = fmt::format("{}/runs/{}", place.study, run.id);
            run.command = fmt::format("{} train --job {} --out {}", shell_quoted(place.program),
                                      shell_quoted(folder + "/job.json"), shell_quoted(folder));
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

}  // namespace headroom
