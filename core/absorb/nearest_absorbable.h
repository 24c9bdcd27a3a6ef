#pragma once

#include <cstdint>
#include <vector>

#include "core/absorb/mlp.h"

namespace headroom {

/// An MLP beside a given one that absorbs its skip.
struct NearestAbsorbable {
    Mlp mlp;
    std::vector<int64_t> set;    ///< rising
    double change = 0;           ///< ‖down - down'‖_F
    double relative_change = 0;  ///< over ‖down‖_F
};

/// The MLP with the least change of `down` (Frobenius) for which Σ_{i in set} up_i ⊗ down_i =
/// -skip: down_S - A⁺ (A down_S + skip), A = up[:, S] [d, |S|]. UserError if the columns of A do
/// not span what the skip carries, or for a kind that cannot absorb.
NearestAbsorbable nearest_absorbable(const Mlp& mlp, const std::vector<int64_t>& set);

/// The same for the set that changes least among the neurons of the greatest least-squares
/// coefficients, tried at about ten sizes from d_model to all. The best of all sets is not searched
/// for: there are 2^f.
NearestAbsorbable nearest_absorbable(const Mlp& mlp);

/// The MLP of the same kind with d_model more neurons that computes the same without a skip, of any
/// weights whose rows of `up` span the inputs [our remark to section 9 "increase width"]. Each of
/// d_model neurons is doubled with opposite signs: act(z) - act(-z) = z. UserError for other kinds.
Mlp widened(const Mlp& mlp);

}  // namespace headroom
