#include "panels/launch/launch_match.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/architectures.h"
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

/// The form with one of its variants as a job document, its vocabulary that of the data.
json document_of(const LaunchInput& input, const std::string& arch, const LaunchPlace& place) {
    json document = base_document(input, place);
    document["model"]["arch"] = arch;
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
        model = preset_job(name).model;
    }
    if (model.vocab_size == 0) model.vocab_size = vocab_size;
    return model;
}

MatchProposal proposal_of(const MatchAttempt& attempt, MatchMeasure measure,
                          const MatchPoint& point) {
    const CountPair& count = point.count(measure);
    return {fmt::format("{} = {}", name_of(attempt.key), point.value),
            count.difference() == 0 ? "equal" : change_text(count), count.difference() == 0,
            point.settings};
}

/// One that would change nothing of `now` is none.
void add_proposals(const MatchAttempt& attempt, MatchMeasure measure, const ModelConfig& now,
                   std::vector<MatchProposal>& proposals) {
    std::vector<const MatchPoint*> points;
    for (const auto* point : {&attempt.exact, &attempt.below, &attempt.above})
        if (*point && !((*point)->model == now)) points.push_back(&**point);
    std::stable_partition(points.begin(), points.end(),
                          [&](const MatchPoint* point) { return point == attempt.best(measure); });
    for (const MatchPoint* point : points)
        proposals.push_back(proposal_of(attempt, measure, *point));
}

/// The answer for one variant, and its model as the form has it.
struct VariantAnswer {
    ModelConfig now;
    MatchResult result;
};

VariantAnswer match_variant(const LaunchInput& input, const std::string& arch,
                            const LaunchPlace& place, const MatchQuestion& question) {
    const json document = document_of(input, arch, place);
    ModelConfig now = parse_job(document, "").model;
    const ModelConfig baseline = baseline_of(question.baseline, place, now.vocab_size);
    return {now, match_baseline(document, baseline,
                                {.measure = question.measure, .vary = question.vary})};
}

/// One proposal with a line for each variant; those that are nearest as they are need no size.
void match_each(const LaunchInput& input, const LaunchPlace& place, const MatchQuestion& question,
                LaunchMatch& match) {
    MatchProposal all;
    all.exact = true;
    for (const std::string& arch : input.variants) {
        const ArchitecturePreset* preset = find_architecture(arch);
        const std::string title = preset == nullptr ? arch : preset->title;
        const VariantAnswer answer = match_variant(input, arch, place, question);
        const MatchAttempt& attempt = answer.result.best_attempt();
        const MatchPoint* best = attempt.best(answer.result.measure);
        if (best == nullptr || best->model == answer.now) {
            match.sentence += fmt::format("{}{}: {}", match.sentence.empty() ? "" : "\n", title,
                                          answer.result.sentence);
            continue;
        }
        const MatchProposal one = proposal_of(attempt, answer.result.measure, *best);
        all.effect += fmt::format("{}{}: {}, {}", all.effect.empty() ? "" : "\n", title, one.label,
                                  one.effect);
        all.exact = all.exact && one.exact;
        all.by_variant[arch] = one.settings;
    }
    all.label = all.by_variant.size() == 1 ? "this size" : "these sizes";
    if (!all.by_variant.empty()) match.proposals.push_back(std::move(all));
}

}  // namespace

std::vector<std::string> match_baselines(const LaunchPlace& place) {
    std::vector<std::string> names;
    for (const auto& [id, job] : place.runs)
        if (job) names.push_back(kRun + id);
    for (const Preset& preset : presets()) names.push_back(preset.name);
    return names;
}

std::string usual_match_baseline(const LaunchInput& input, const LaunchPlace& place) {
    const std::string own = own_run(place);
    return own.empty() ? input.preset : kRun + own;
}

LaunchMatch match_launch(const LaunchInput& input, const LaunchPlace& place,
                         const MatchQuestion& question) {
    LaunchMatch match;
    match.input = input;
    try {
        if (input.variants.empty())
            throw UserError("No variant is chosen", "choose at least one variant");
        if (input.variants.size() > 1) {
            match_each(input, place, question, match);
            return match;
        }
        const auto [now, result] = match_variant(input, input.variants.front(), place, question);
        add_proposals(result.best_attempt(), result.measure, now, match.proposals);
        for (const MatchAttempt& attempt : result.attempts)
            if (&attempt != &result.best_attempt())
                add_proposals(attempt, result.measure, now, match.proposals);
        match.sentence = result.sentence;
    } catch (const std::exception& error) {
        match.error = error.what();
    }
    return match;
}

LaunchInput with_settings(LaunchInput input, const MatchProposal& proposal) {
    for (const auto& [path, text] : proposal.settings) {
        if (!input.values.contains(path)) input.matched.insert(path);
        input.values[path] = text;
    }
    if (!proposal.by_variant.empty()) input.sizes.clear();
    for (const auto& [arch, settings] : proposal.by_variant)
        input.sizes[arch] = {settings.begin(), settings.end()};
    return input;
}

}  // namespace headroom
