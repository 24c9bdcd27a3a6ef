#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/absorb/mlp.h"

namespace headroom {

/// Whether an MLP of this kind absorbs its skip for some weights: act(z) - act(-z) = z, no gate.
bool absorbs_skips(MlpKind kind);

enum class Decision { kYes, kNo, kUndecided, kImpossible };
std::string_view name_of(Decision decision);  ///< yes no undecided impossible

/// How much a skip of an MLP that cannot absorb it weighs where the MLP does not: norms over
/// lambda as lambda falls (Propositions 5 and 6).
struct Witness {
    std::vector<double> lambda;
    std::vector<double> with_skip;     ///< ‖MLP(λx) + λ x skip‖ / λ, towards `limit`
    std::vector<double> without_skip;  ///< ‖MLP(λx)‖ / λ, towards 0
    double limit = 0;                  ///< ‖x skip‖
};

/// Whether an MLP of the same width without a skip computes y = MLP(x) + x skip.
struct Absorption {
    Decision decision = Decision::kUndecided;
    std::string theorem;  ///< what decides, with paper and number
    std::string reason;   ///< one sentence
    /// The neurons whose sign turns, of a "yes" by the index-set condition, rising.
    std::vector<int64_t> set;
    /// ‖Σ c_i up_i ⊗ down_i + skip‖_F for the coefficients below; relative_residual is over
    /// ‖skip‖_F, from 0 (absorbable up to the signs) to 1. Not of impossible kinds.
    std::optional<double> residual, relative_residual;
    /// Of a least-squares solution; of a "yes" exactly 0 and 1.
    std::vector<double> coefficients;
    /// Mean distance of the least-squares coefficients from 0 or 1.
    std::optional<double> coefficient_distance;
    int64_t rank = 0;           ///< of the neurons' rank-one matrices
    double smallest_pivot = 0;  ///< of their Gram matrix, scaled to a diagonal of ones
    double tolerance = 0;       ///< on the relative residual, from the precision of the weights
    bool assumptions = true;    ///< rows of up non-zero and pairwise non-collinear, down non-zero
    std::optional<Witness> witness;
};

struct AbsorptionOptions {
    double tolerance = 0;  ///< on the relative residual; 0: 1e-9, 1e-5 or 5e-3 by the stored type
    /// Of a singular system, try every 0/1 choice of the dependent neurons if there are at most so
    /// many, and answer "no" where none fits.
    int64_t exhaustive = 0;
};

/// Mijoski & Karbevski 2026 (arXiv:2604.23705), Theorems 8 and 10 with Lemma 4: for ReLU, GELU and
/// SiLU an MLP absorbs its skip if and only if for some set S of neurons
/// Σ_{i in S} up_i ⊗ down_i = -skip. We solve G c = b with G_ij = (up_i·up_j)(down_i·down_j) and
/// b_i = -up_i^T skip down_i, the normal equations of the N rank-one matrices, in N x N numbers.
/// If these are independent, the answer is whether c is 0/1 and leaves nothing; else "undecided"
/// unless a 0/1 solution is found or no solution is left at all. The proof does not need the skip
/// to be invertible, so singular ones are asked the same. Propositions 5 and 6: impossible for
/// ReLU² and gated kinds.
Absorption decide_absorption(const Mlp& mlp, const AbsorptionOptions& options = {});

/// The MLP without a skip that computes the same. REQUIRES: decision yes.
Mlp absorbed(const Mlp& mlp, const Absorption& answer);

}  // namespace headroom
