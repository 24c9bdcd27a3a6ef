#pragma once

#include <cstdint>
#include <vector>

namespace headroom {

/// The matrix [rows, cols] of the same singular directions, its singular values near 1 (0.7 to
/// 1.2; those under about 1e-3 of the norm stay smaller): five steps of the quintic Newton-Schulz
/// iteration of Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon; Liu et al.
/// 2025, arXiv:2502.16982). A matrix of zeros stays one.
std::vector<float> orthogonalized(std::vector<float> matrix, int64_t rows, int64_t cols);

}  // namespace headroom
