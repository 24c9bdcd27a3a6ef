#include "core/lab/experiment.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/lab/approximate_absorption.h"
#include "core/lab/basis_transfer.h"
#include "core/lab/norm_transfer.h"
#include "core/lab/regression_theory.h"
#include "core/lab/score_scale.h"
#include "core/lab/semi_conjugacy.h"

namespace headroom {
namespace {

void check_number(const LabOption& option, double value) {
    if (value >= option.least && value <= option.most) return;
    throw UserError(fmt::format("--{} {} is out of range", option.name, value),
                    fmt::format("give {} to {}", option.least, option.most));
}

void check_option(const LabOption& option) {
    std::visit(
        [&](const auto* value) {
            using T = std::remove_cvref_t<decltype(*value)>;
            if constexpr (std::is_same_v<T, std::string>) {
                if (std::find(option.choices.begin(), option.choices.end(), *value) ==
                    option.choices.end())
                    throw UserError(fmt::format("--{} \"{}\" is not known{}", option.name, *value,
                                                suggestion(*value, option.choices)),
                                    fmt::format("give {}", fmt::join(option.choices, ", ")));
            } else if constexpr (std::is_arithmetic_v<T>) {
                check_number(option, static_cast<double>(*value));
            } else {
                if (value->empty())
                    throw UserError(fmt::format("--{} is empty", option.name),
                                    "give at least one number");
                for (const auto one : *value) check_number(option, static_cast<double>(one));
            }
        },
        option.value);
}

}  // namespace

std::vector<std::unique_ptr<Experiment>> experiments() {
    std::vector<std::unique_ptr<Experiment>> all;
    all.push_back(std::make_unique<SemiConjugacy>());
    all.push_back(std::make_unique<NormTransfer>());
    all.push_back(std::make_unique<BasisTransfer>());
    all.push_back(std::make_unique<ScoreScale>());
    all.push_back(std::make_unique<RegressionTheory>());
    all.push_back(std::make_unique<ApproximateAbsorption>());
    return all;
}

nlohmann::ordered_json options_json(Experiment& experiment) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (const LabOption& option : experiment.options())
        std::visit([&](const auto* value) { values[option.name] = *value; }, option.value);
    return values;
}

void check_options(Experiment& experiment) {
    for (const LabOption& option : experiment.options()) check_option(option);
}

}  // namespace headroom
