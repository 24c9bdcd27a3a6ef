#include "app/study/study_prediction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/study/study_templates.h"
#include "app/study/text_table.h"
#include "app/vocabulary.h"
#include "core/account/memory_ledger.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/system_info.h"
#include "core/bench/train_bench.h"
#include "core/config/job_json.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

/// Models that are timed at most, and the work of a timed step: a tenth of a second or so.
constexpr size_t kMostTimed = 6;
constexpr double kMostSeconds = 8;  ///< after which no other model is timed
constexpr double kStepFlops = 1e10;
/// A model whose shortest step is longer is not timed where another was.
constexpr double kMostStepFlops = 5 * kStepFlops;
constexpr int64_t kShortest = 64;  ///< tokens of a timed sequence

/// Equal for jobs that go at one speed.
std::string shape_of(Job job) {
    job.name = "";
    job.seed = 0;
    job.data = {};
    job.probes.clear();
    TrainConfig train;
    train.batch_size = job.train.batch_size;
    train.seq_len = job.train.seq_len;
    train.grad_accum = job.train.grad_accum;
    train.objective = job.train.objective;
    train.dropout = job.train.dropout;
    job.train = train;
    return to_json(job).dump();
}

double step_flops(const Job& job) {
    const TrainingCost cost = training_cost(job);
    return cost.flops / static_cast<double>(std::max<int64_t>(job.train.steps, 1));
}

/// The same model in as many sequences, and if need be as short ones, as make a short step.
Job timed_job(Job job) {
    job.train.grad_accum = 1;
    job.train.init_from = "random";
    job.train.init_convert = "none";
    while (job.train.batch_size > 1 && step_flops(job) > kStepFlops)
        job.train.batch_size = (job.train.batch_size + 1) / 2;
    while (job.train.seq_len > kShortest && step_flops(job) > kStepFlops)
        job.train.seq_len = std::max(kShortest, job.train.seq_len / 2);
    return job;
}

bool fits_memory(const Job& job) {
    const int64_t needed = memory_report(memory_request(job, MemoryUse::kTraining)).predicted.total;
    const int64_t free = available_bytes();
    return free == 0 || needed < free / 2;
}

/// "about 5 min".
std::string time_text(double seconds) {
    return seconds > 0 ? "about " + format_duration(seconds) : "an unknown time";
}

class Prediction {
  public:
    explicit Prediction(Device& device) : device_(device) {}

    void add(const std::string& variant, const Job& job) {
        for (PredictedVariant& known : result_.variants)
            if (known.variant == variant && !known.is_search) {
                ++known.runs;
                return;
            }
        result_.variants.push_back(planned(variant, job));
    }
    void add_search(const Job& job) {
        result_.variants.push_back(planned("search", job));
        result_.variants.back().is_search = true;
    }

    StudyPrediction finish() {
        result_.device = device_.description();
        result_.search = std::any_of(result_.variants.begin(), result_.variants.end(),
                                     [](const PredictedVariant& each) { return each.is_search; });
        time_shapes();
        for (PredictedVariant& variant : result_.variants) {
            const auto n = static_cast<double>(variant.runs);
            if (!variant.is_search) result_.runs += variant.runs;
            result_.tokens += n * variant.cost.tokens;
            result_.flops += n * variant.cost.flops;
            result_.seconds += n * variant.seconds;
            result_.memory_bytes = std::max(result_.memory_bytes, variant.memory_bytes);
            result_.disk_bytes += variant.runs * variant.cost.disk_bytes;
        }
        if (result_.seconds > 0) result_.flops_per_second = work_ / result_.seconds;
        return std::move(result_);
    }

  private:
    static PredictedVariant planned(const std::string& variant, const Job& job) {
        PredictedVariant added;
        added.variant = variant;
        added.runs = 1;
        added.job = job;
        resolve_vocabulary(added.job, false);
        added.cost = training_cost(added.job);
        added.memory_bytes =
            memory_report(memory_request(added.job, MemoryUse::kTraining)).predicted.total;
        return added;
    }
    static double work(const PredictedVariant& variant) {
        return variant.cost.flops + variant.cost.eval_flops;
    }

    /// Shapes by the work of all their runs, most first.
    std::vector<std::pair<std::string, Job>> shapes() const {
        std::map<std::string, double> works;
        std::vector<std::pair<std::string, Job>> list;
        for (const PredictedVariant& variant : result_.variants) {
            const std::string shape = shape_of(variant.job);
            if (!works.contains(shape)) list.emplace_back(shape, timed_job(variant.job));
            works[shape] += static_cast<double>(variant.runs) * work(variant);
        }
        std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
            return works.at(a.first) > works.at(b.first);
        });
        return list;
    }

    void time_shapes() {
        std::map<std::string, double> rates;
        double flops = 0, seconds = 0;
        const auto time = [&](const std::string& shape, const Job& job) {
            const double step = time_training_step(job, device_), work = step_flops(job);
            rates[shape] = work / step;
            flops += work;
            seconds += step;
        };
        std::vector<std::pair<std::string, Job>> all = shapes();
        std::erase_if(all, [](const auto& each) { return !fits_memory(each.second); });
        const double begin = now_s();
        for (const auto& [shape, job] : all)
            if (rates.size() < kMostTimed && now_s() - begin < kMostSeconds &&
                step_flops(job) <= kMostStepFlops)
                time(shape, job);
        if (rates.empty() && !all.empty()) {
            const auto least =
                std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                    return step_flops(a.second) < step_flops(b.second);
                });
            time(least->first, least->second);
        }
        if (rates.empty()) return;
        for (PredictedVariant& variant : result_.variants) {
            const auto rate = rates.find(shape_of(variant.job));
            variant.timed = rate != rates.end();
            variant.seconds = work(variant) / (variant.timed ? rate->second : flops / seconds);
            work_ += static_cast<double>(variant.runs) * work(variant);
        }
    }

    Device& device_;
    StudyPrediction result_;
    double work_ = 0;
};

}  // namespace

StudyPrediction predict_study(const Study& study, const std::optional<WiringSearch>& search,
                              Device& device) {
    Prediction prediction(device);
    for (const StudyRun& run : study.runs) prediction.add(run.variant, run.job);
    if (search) prediction.add_search(job_of_search(*search));
    return prediction.finish();
}

namespace {

/// Down to two digits: 1,234,567 becomes 1,200,000.
int64_t two_digits(double tokens) {
    const double unit = std::pow(10.0, std::floor(std::log10(std::max(tokens, 1.0))) - 1);
    return std::max<int64_t>(1, static_cast<int64_t>(std::floor(tokens / unit) * unit));
}

/// Of all runs, at the speed that their variants were predicted with.
double seconds_of(const Study& study, const StudyPrediction& prediction) {
    double seconds = 0;
    for (const StudyRun& run : study.runs)
        for (const PredictedVariant& variant : prediction.variants)
            if (variant.variant == run.variant && !variant.is_search && variant.cost.tokens > 0)
                seconds += variant.seconds * training_tokens(run.job.train) / variant.cost.tokens;
    return seconds;
}

}  // namespace

int64_t tokens_within(double hours, const StudyPrediction& prediction,
                      const std::function<Study(int64_t tokens)>& with) {
    if (prediction.search)
        throw UserError("a search takes as long as its rungs say, not so many hours",
                        "shorten search.rungs and train.steps in its study.json");
    if (!(prediction.seconds > 0))
        throw UserError("no model of this study could be timed here, so hours are not known",
                        "give \"budget\": { \"tokens\": N } in its study.json");
    // Seconds grow in proportion to the tokens of the runs that take part: two looks tell how, far
    // enough apart that whole steps do not matter.
    const auto runs = static_cast<double>(std::max<int64_t>(prediction.runs, 1));
    const int64_t a = std::llround(prediction.tokens / runs), b = 100 * a;
    const double at_a = seconds_of(with(a), prediction), at_b = seconds_of(with(b), prediction);
    const double each = (at_b - at_a) / static_cast<double>(b - a);
    const double fixed = at_a - each * static_cast<double>(a);
    const double left = 3600 * hours - fixed;
    if (!(each > 0))
        throw UserError("every run of this study says its steps, so hours cannot change them",
                        "leave --hours out");
    const int64_t tokens = two_digits(left / each);
    if (!(left > 0) || seconds_of(with(tokens), prediction) > 1.1 * 3600 * hours)
        throw UserError(
            fmt::format("{:.3g} hours are too few for this study here", hours),
            fmt::format("it takes {} as it stands", format_duration(prediction.seconds)));
    return tokens;
}

ordered_json to_json(const StudyPrediction& prediction) {
    ordered_json variants = ordered_json::array();
    for (const PredictedVariant& variant : prediction.variants)
        variants.push_back({{"variant", variant.variant},
                            {"runs", variant.runs},
                            {"params", variant.cost.parameters.total},
                            {"tokens", std::llround(variant.cost.tokens)},
                            {"flops", variant.cost.flops},
                            {"seconds", variant.seconds},
                            {"memory_bytes", variant.memory_bytes},
                            {"timed", variant.timed}});
    return {{"device", prediction.device},
            {"variants", std::move(variants)},
            {"total",
             {{"runs", prediction.runs},
              {"search", prediction.search},
              {"tokens", std::llround(prediction.tokens)},
              {"flops", prediction.flops},
              {"seconds", prediction.seconds},
              {"memory_bytes", prediction.memory_bytes},
              {"disk_bytes", prediction.disk_bytes}}},
            {"flops_per_second", prediction.flops_per_second}};
}

std::string prediction_text(const StudyPrediction& prediction) {
    std::vector<std::vector<std::string>> rows{
        {"VARIANT", "RUNS", "PARAMS", "TOKENS", "FLOPS", "TIME", "MEMORY", ""}};
    for (const PredictedVariant& each : prediction.variants)
        rows.push_back({each.variant, std::to_string(each.runs),
                        format_count(static_cast<double>(each.cost.parameters.total)),
                        format_count(each.cost.tokens), format_count(each.cost.flops),
                        each.seconds > 0 ? format_duration(each.seconds) : "–",
                        format_bytes(each.memory_bytes), each.timed ? "timed" : ""});
    return text_table(rows) +
           fmt::format(
               "in all: {} runs{}, {} tokens, {} FLOPs: {} one after the other on {}; at most {} "
               "of memory, {} of disk and the probes\n",
               prediction.runs, prediction.search ? " and a search" : "",
               format_count(prediction.tokens), format_count(prediction.flops),
               time_text(prediction.seconds), prediction.device,
               format_bytes(prediction.memory_bytes), format_bytes(prediction.disk_bytes));
}

}  // namespace headroom
