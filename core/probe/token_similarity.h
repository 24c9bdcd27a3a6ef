#pragma once

#include <vector>

#include "core/probe/number_array.h"
#include "core/probe/probe_pass.h"

namespace headroom {

/// Cosines x·y / (‖x‖‖y‖) between the rows, [rows, rows]: symmetric, at most 1; 1 on the diagonal.
/// A row of norm 0 has cosine 0 with every row and itself.
NumberArray cosines(const TokenMatrix& x);

/// Mean of the cosines off the diagonal; NaN with fewer than two rows.
double mean_cosine(const TokenMatrix& x);

/// exp(−Σ p_i ln p_i), p_i = σ_i / Σ σ, of the singular values of x, whose columns are not centred:
/// 1 when all rows are parallel, min(rows, columns) when all directions count alike. Roy & Vetterli
/// 2007, "The effective rank". NaN if x is zero or not finite.
double effective_rank(const TokenMatrix& x);

/// Linear CKA ‖XᵀY‖_F² / (‖XᵀX‖_F ‖YᵀY‖_F), columns centred: Kornblith et al. 2019,
/// arXiv:1905.00414, section 3. It does not change when either is rotated or scaled. Entry [i, j]
/// is that of a[i] and b[j]; 0 where a matrix does not vary. REQUIRES: equally many rows.
NumberArray linear_cka(std::vector<TokenMatrix> a, std::vector<TokenMatrix> b);
/// The same of every pair in one list.
NumberArray linear_cka(std::vector<TokenMatrix> x);

}  // namespace headroom
