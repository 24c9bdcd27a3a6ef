#include "core/absorb/absorption.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/absorb/skip_system.h"
#include "core/base/error.h"

namespace headroom {
namespace {

double default_tolerance(StoredType type) {
    if (type == StoredType::kF64) return 1e-9;
    return type == StoredType::kF32 ? 1e-5 : 5e-3;
}

bool has_bias(const Mlp& mlp) {
    return !mlp.up_bias.empty() || !mlp.gate_bias.empty();
}

std::string theorem_of(MlpKind kind) {
    switch (kind) {
        case MlpKind::kRelu:
            return "Mijoski & Karbevski 2026, Theorem 8";
        case MlpKind::kGelu:
        case MlpKind::kGeluTanh:
            return "Mijoski & Karbevski 2026, Theorem 10";
        case MlpKind::kSilu:
            return "Mijoski & Karbevski 2026, section 9, by the proof of Theorem 10";
        case MlpKind::kRelu2:
        case MlpKind::kReglu:
            return "Mijoski & Karbevski 2026, Proposition 5; at any depth Corollary 7";
        case MlpKind::kSwiglu:
        case MlpKind::kGeglu:
            return "Mijoski & Karbevski 2026, Proposition 6; at any depth Corollary 7";
    }
    CHECK(false, "unknown MLP");
}

Witness make_witness(const Mlp& mlp) {
    // The input that the skip carries furthest: one coordinate.
    std::vector<double> row_norms(static_cast<size_t>(mlp.d_model()));
    for (int64_t i = 0; i < mlp.d_model(); ++i)
        for (int64_t j = 0; j < mlp.d_model(); ++j)
            row_norms[static_cast<size_t>(i)] += mlp.skip.at(i, j) * mlp.skip.at(i, j);
    const auto longest = std::max_element(row_norms.begin(), row_norms.end());
    Witness witness;
    witness.limit = std::sqrt(*longest);
    Mlp bare = mlp;
    bare.skip = {};
    for (double lambda = 1; lambda > 1e-7; lambda /= 10) {
        Matrix x(1, mlp.d_model());
        x.at(0, longest - row_norms.begin()) = lambda;
        witness.lambda.push_back(lambda);
        witness.with_skip.push_back(frobenius(mlp_forward(mlp, x)) / lambda);
        witness.without_skip.push_back(frobenius(mlp_forward(bare, x)) / lambda);
    }
    return witness;
}

void answer_impossible_kind(const Mlp& mlp, Absorption& answer) {
    if (has_bias(mlp)) {
        answer.reason = "the proof needs an MLP without biases: with them it has a linear part";
        return;
    }
    answer.decision = Decision::kImpossible;
    answer.reason = "near 0 the MLP is of second order and the skip of first, for all weights";
    answer.witness = make_witness(mlp);
}

std::vector<double> rounded(const std::vector<double>& c) {
    std::vector<double> ones(c.size());
    std::transform(c.begin(), c.end(), ones.begin(), [](double x) { return x > 0.5 ? 1.0 : 0.0; });
    return ones;
}

double mean_distance_from_binary(const std::vector<double>& c) {
    double sum = 0;
    for (const double x : c) sum += std::min(std::abs(x), std::abs(x - 1));
    return c.empty() ? 0 : sum / static_cast<double>(c.size());
}

void answer_yes(const std::vector<double>& ones, double residual, Absorption& answer) {
    answer.decision = Decision::kYes;
    answer.coefficients = ones;
    answer.residual = residual;
    for (size_t i = 0; i < ones.size(); ++i)
        if (ones[i] == 1) answer.set.push_back(static_cast<int64_t>(i));
    answer.reason =
        fmt::format("turning the sign of {} neurons makes up for the skip", answer.set.size());
}

/// Tries choices of dependent neurons while that costs no more than a few seconds, or as many as
/// `exhaustive` says. True if all were tried.
bool try_choices(const Mlp& mlp, const SkipSystem& system, double most, int64_t exhaustive,
                 Absorption& answer) {
    constexpr double kMostWork = 2e9;  // multiplications
    const double each = static_cast<double>(mlp.d_model() * mlp.d_model() * mlp.d_ff());
    const int64_t nullity = system.nullity();
    const bool all = nullity <= std::min<int64_t>(exhaustive, 30) ||
                     (nullity < 30 && each * static_cast<double>(1 << nullity) <= kMostWork);
    if (!all) return false;
    system.any_choice([&](const std::vector<double>& ones) {
        const double residual = skip_residual(mlp, ones);
        if (residual > most) return false;
        answer_yes(ones, residual, answer);
        return true;
    });
    return true;
}

void answer_singular(const Mlp& mlp, const SkipSystem& system, double most,
                     const AbsorptionOptions& options, Absorption& answer) {
    const bool tried_all = try_choices(mlp, system, most, options.exhaustive, answer);
    if (answer.decision == Decision::kYes) return;
    const std::string singular =
        fmt::format("{} of {} neurons depend on the others, so the solution is not unique",
                    mlp.d_ff() - system.rank(), mlp.d_ff());
    if (!answer.assumptions) {
        answer.reason = "neurons of zeros or with collinear rows: the theorem does not cover them";
    } else if (*answer.residual > most) {
        answer.decision = Decision::kNo;
        answer.reason = "no combination of the neurons gives minus the skip, 0/1 or not";
    } else if (tried_all && system.nullity() <= options.exhaustive) {
        answer.decision = Decision::kNo;
        answer.reason = singular + "; every 0/1 choice of them was tried and none fits";
    } else {
        answer.reason = singular + "; a 0/1 solution was not found";
    }
}

void answer_by_index_set(const Mlp& mlp, const AbsorptionOptions& options, Absorption& answer) {
    const SkipSystem system(mlp);
    const double norm = frobenius(mlp.skip), most = answer.tolerance * norm;
    answer.assumptions = system.assumptions();
    answer.rank = system.rank();
    answer.smallest_pivot = system.smallest_pivot();
    answer.coefficients = system.solve();
    answer.residual = skip_residual(mlp, answer.coefficients);
    answer.coefficient_distance = mean_distance_from_binary(answer.coefficients);
    const std::vector<double> ones = rounded(answer.coefficients);
    const double rounded_residual = skip_residual(mlp, ones);
    if (rounded_residual <= most) {
        answer_yes(ones, rounded_residual, answer);
    } else if (system.nullity() > 0 || !answer.assumptions) {
        answer_singular(mlp, system, most, options, answer);
    } else {
        answer.decision = Decision::kNo;
        answer.reason = *answer.residual > most
                            ? "no combination of the neurons gives minus the skip, 0/1 or not"
                            : "the only combination that gives minus the skip is not 0/1";
    }
    answer.relative_residual = norm > 0 ? *answer.residual / norm : 0;
}

/// Any function of one number that is linear on either side of 0 is two ReLUs.
bool is_two_slopes(const Mlp& mlp) {
    return mlp.kind == MlpKind::kRelu && mlp.d_model() == 1 && mlp.d_ff() >= 2 && !has_bias(mlp);
}

Mlp two_slopes(const Mlp& mlp) {
    const Matrix ends = mlp_forward(mlp, Matrix(2, 1, {1, -1}));
    Mlp result = mlp;
    result.skip = {};
    const double constant = mlp.down_bias.empty() ? 0 : mlp.down_bias[0];
    std::fill(result.up.values.begin(), result.up.values.end(), 0.0);
    std::fill(result.down.values.begin(), result.down.values.end(), 0.0);
    result.up.values[0] = 1;
    result.up.values[1] = -1;
    result.down.values[0] = ends.at(0, 0) - constant;
    result.down.values[1] = ends.at(1, 0) - constant;
    return result;
}

}  // namespace

bool absorbs_skips(MlpKind kind) {
    return kind == MlpKind::kRelu || kind == MlpKind::kGelu || kind == MlpKind::kGeluTanh ||
           kind == MlpKind::kSilu;
}

std::string_view name_of(Decision decision) {
    switch (decision) {
        case Decision::kYes:
            return "yes";
        case Decision::kNo:
            return "no";
        case Decision::kUndecided:
            return "undecided";
        case Decision::kImpossible:
            return "impossible";
    }
    CHECK(false, "unknown decision");
}

Absorption decide_absorption(const Mlp& mlp, const AbsorptionOptions& options) {
    CHECK(!mlp.skip.empty(), "a skip to absorb");
    Absorption answer;
    answer.theorem = theorem_of(mlp.kind);
    answer.tolerance = options.tolerance > 0 ? options.tolerance : default_tolerance(mlp.stored);
    if (frobenius(mlp.skip) == 0) {
        answer.decision = Decision::kYes;
        answer.reason = "the skip is zero: nothing has to be absorbed";
        answer.coefficients.assign(static_cast<size_t>(mlp.d_ff()), 0);
        answer.residual = answer.relative_residual = 0;
    } else if (!absorbs_skips(mlp.kind)) {
        answer_impossible_kind(mlp, answer);
    } else {
        answer_by_index_set(mlp, options, answer);
        if (answer.decision != Decision::kYes && is_two_slopes(mlp)) {
            answer.decision = Decision::kYes;
            answer.theorem = "our remark: Theorem 8 needs d >= 2; with d = 1 two ReLUs are enough";
            answer.reason = "on a line the MLP with its skip has two slopes";
        }
    }
    return answer;
}

Mlp absorbed(const Mlp& mlp, const Absorption& answer) {
    CHECK(answer.decision == Decision::kYes, "only a yes can be carried out");
    if (answer.set.empty() && is_two_slopes(mlp) && frobenius(mlp.skip) > 0) return two_slopes(mlp);
    Mlp result = mlp;
    result.skip = {};
    if (!mlp.up_bias.empty()) result.down_bias.resize(static_cast<size_t>(mlp.d_model()));
    for (const int64_t i : answer.set) {
        for (int64_t j = 0; j < mlp.d_model(); ++j) result.up.at(j, i) = -mlp.up.at(j, i);
        if (mlp.up_bias.empty()) continue;
        const double bias = mlp.up_bias[static_cast<size_t>(i)];
        result.up_bias[static_cast<size_t>(i)] = -bias;
        for (int64_t j = 0; j < mlp.d_model(); ++j)
            result.down_bias[static_cast<size_t>(j)] += bias * mlp.down.at(i, j);
    }
    return result;
}

}  // namespace headroom
