#include "core/study/run_budget.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/training_cost.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/study/known_keys.h"

namespace headroom {
namespace {

using nlohmann::json;

double amount_of(const json& budget, const std::string& place) {
    check_keys(budget, place, {"tokens", "flops"});
    if (budget.size() != 1)
        throw UserError(fmt::format("{} = {} is not one amount", place, shown(budget)),
                        "write { \"tokens\": 2e6 } or { \"flops\": 1e15 }");
    const json& amount = *budget.begin();
    constexpr double kMost = 1e30;
    if (!amount.is_number() || !(amount.get<double>() > 0) || amount.get<double>() > kMost)
        throw UserError(fmt::format("{} = {} is no amount", place, shown(budget)),
                        "give a number above 0");
    return amount.get<double>();
}

}  // namespace

void apply_budget(const json& budget, json& job, const std::string& place) {
    const double amount = amount_of(budget, place + ".budget");
    if (!job.is_object()) return;  // which is said where the job is read
    json& train = job["train"];
    if (!train.is_object() && !train.is_null()) return;
    train["steps"] = kMostTrainSteps;
    Job read = parse_job(job, place);
    read.train.steps = 1;
    double of_a_step = training_tokens(read.train);
    if (budget.contains("flops")) {
        if (read.model.vocab_size <= 0)
            throw UserError(place + ".budget counts FLOPs, and the vocabulary is not known yet",
                            "set model.vocab_size, or give the budget in tokens");
        of_a_step = training_cost(read).flops;
    }
    const double steps = std::round(amount / of_a_step);
    if (steps > static_cast<double>(kMostTrainSteps))
        throw UserError(fmt::format("{}.budget makes {:.3g} steps", place, steps),
                        fmt::format("a run has {} at most", kMostTrainSteps));
    train["steps"] = std::max(static_cast<int64_t>(steps), int64_t{1});
}

json common_job(const json& document) {
    if (!document.is_object() || !document.contains("job")) return nullptr;
    json job = document.at("job");
    if (!document.contains("budget")) return job;
    try {
        json budgeted = job;
        apply_budget(document.at("budget"), budgeted, "job");
        return budgeted;
    } catch (const UserError&) {  // each run says what is wrong
        return job;
    }
}

bool says_steps(const json& job) {
    return job.is_object() && job.contains("train") && job.at("train").is_object() &&
           job.at("train").contains("steps");
}

}  // namespace headroom
