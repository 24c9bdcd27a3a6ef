#pragma once

#include <vector>

#include "core/linalg/matrix.h"

namespace headroom {

/// Norms without gain, and the maps that carry a linear map through them. Columns in the papers are
/// std::vector here. Karbevski & Mijoski 2025 (arXiv:2510.23912), section 8.2; the second version's
/// section 8.3.
enum class LabNorm { kLayerNorm, kRmsNorm, kDyT };
const char* name_of(LabNorm norm);

/// L(x): (x - mean) / sqrt(variance + eps), x / sqrt(mean square + eps), or tanh(eps x) where eps
/// stands for DyT's alpha.
std::vector<double> normalised(LabNorm norm, const std::vector<double>& x, double eps);

/// The x with L(x) = z, of mean 0 for LayerNorm: sqrt(d eps / (d - ‖z‖²)) z [equation 8], or
/// atanh(z) / alpha. REQUIRES: z in the open image of L.
std::vector<double> denormalised(LabNorm norm, const std::vector<double>& z, double eps);

/// Lemma 8.1 for an invertible A: a diagonal D with L(f(x)) = D A L(x) and so
/// D^-1 L(f(x)) = A L(x), where f(x) = L^-1(D A L(x)) + h 1 (h only for LayerNorm).
struct SemiConjugacyMap {
    LabNorm norm = LabNorm::kLayerNorm;
    double eps = 0;
    std::vector<double> diagonal;  ///< D
    Matrix m0;                     ///< D A, of norm 1 on the image of L

    std::vector<double> f(const std::vector<double>& x, double h) const;
};

/// LayerNorm: D = lambda0 diag(v), v = A^-T 1 / ‖A^-T 1‖, lambda0 = 1 / ‖Π diag(v) A Π‖_2. RMSNorm:
/// every multiple of A keeps the ball, D = 1 / ‖A‖_2 [our reading of Remark 6]. DyT: the image is a
/// cube, D = 1 / ‖A‖_inf [likewise].
SemiConjugacyMap semi_conjugacy_map(LabNorm norm, const Matrix& a, double eps);

/// A x.
std::vector<double> times(const Matrix& a, const std::vector<double>& x);
double norm_of(const std::vector<double>& x);

}  // namespace headroom
