#include "panels/launch/launch_match.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "core/config/set_key.h"
#include "panels/launch/launch_base.h"

namespace headroom {

namespace {

using nlohmann::json;

constexpr char kRun[] = "run ";

int64_t vocabulary_of_data(const LaunchPlace& place) {
    if (!place.data) throw UserError("The data are not known yet", "try again in a moment");
    if (place.data->vocab_size <= 0) throw UserError("The data cannot be used", "mend data.train");
    return place.data->vocab_size;
}

/// The form as a job document, its vocabulary that of the data.
json document_of(const LaunchInput& input, const LaunchPlace& place) {
    if (input.variants.size() != 1)
        throw UserError(fmt::format("{} variants are chosen, and a size holds for all of them",
                                    input.variants.size()),
                        "choose the one to match");
    json document = base_document(input, place);
    document["model"]["arch"] = input.variants.front();
    for (const auto& [path, text] : input.values) apply_set(document, path + "=" + text);
    if (const Job job = parse_job(document, ""); job.model.vocab_size == 0)
        document["model"]["vocab_size"] = vocabulary_of_data(place) + job.train.added_tokens();
    return document;
}

ModelConfig baseline_of(const std::string& name, const LaunchPlace& place, int64_t vocab_size) {
    ModelConfig model;
    if (name.starts_with(kRun)) {
        const auto run = place.runs.find(name.substr(sizeof(kRun) - 1));
        if (run == place.runs.end() || !run->second)
            throw UserError(fmt::format("The study has no {}", name), "choose another baseline");
        model = run->second->model;
    } else {
        model = parse_job({{"model", {{"preset", name}}}}, "").model;
    }
    if (model.vocab_size == 0) model.vocab_size = vocab_size;
    return model;
}

/// One that would change nothing of `now` is none.
void add_proposals(const MatchAttempt& attempt, MatchMeasure measure, const ModelConfig& now,
                   std::vector<MatchProposal>& proposals) {
    std::vector<const MatchPoint*> points;
    for (const auto* point : {&attempt.exact, &attempt.below, &attempt.above})
        if (*point && !((*point)->model == now)) points.push_back(&**point);
    std::stable_partition(points.begin(), points.end(),
                          [&](const MatchPoint* point) { return point == attempt.best(measure); });
    for (const MatchPoint* point : points) {
        const CountPair& count = point->count(measure);
        proposals.push_back({fmt::format("{} = {}", name_of(attempt.key), point->value),
                             count.difference() == 0 ? "equal" : change_text(count),
                             count.difference() == 0, point->settings});
    }
}

}  // namespace

std::vector<std::string> match_baselines(const LaunchPlace& place) {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.push_back(preset.name);
    for (const auto& [id, job] : place.runs)
        if (job) names.push_back(kRun + id);
    return names;
}

LaunchMatch match_launch(const LaunchInput& input, const LaunchPlace& place,
                         const MatchQuestion& question) {
    LaunchMatch match;
    match.input = input;
    try {
        const json document = document_of(input, place);
        const ModelConfig now = parse_job(document, "").model;
        const MatchResult result =
            match_baseline(document, baseline_of(question.baseline, place, now.vocab_size),
                           {.measure = question.measure, .vary = question.vary});
        add_proposals(result.best_attempt(), result.measure, now, match.proposals);
        for (const MatchAttempt& attempt : result.attempts)
            if (&attempt != &result.best_attempt())
                add_proposals(attempt, result.measure, now, match.proposals);
        match.sentence = result.sentence;
    } catch (const UserError& error) {
        match.error = error.what();
    }
    return match;
}

LaunchInput with_settings(LaunchInput input, const MatchProposal& proposal) {
    for (const auto& [path, text] : proposal.settings) {
        if (!input.values.contains(path)) input.matched.insert(path);
        input.values[path] = text;
    }
    return input;
}

}  // namespace headroom
