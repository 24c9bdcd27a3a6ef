#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace headroom {

/// What this thread's fake of cuBLASLt proposes and what has been asked of it. Algorithms are
/// numbered from 1; each is a product by loops that count by columns. Whatever the library's
/// manual demands (types that go together, sizes, strides of what is kept, alignments) and is not
/// given is refused as CUBLAS_STATUS_INVALID_VALUE or NOT_SUPPORTED.
struct FakeCublasLt {
    int proposals = 3;                   ///< for each product
    std::vector<double> ms = {0, 0, 0};  ///< what a product by each takes
    double epilogue_ms = 0;              ///< and what an epilogue adds to it
    std::set<int> failing{};             ///< refuse to run, though they were proposed
    bool has_epilogues = true;

    int64_t heuristics = 0;      ///< times that proposals were asked for
    std::vector<int> ran{};      ///< the algorithm of each product that was started
    std::vector<float> betas{};  ///< and its beta
};

FakeCublasLt& fake_cublaslt();

/// The fake as it begins, for as long as this lives.
class FreshCublasLt {
  public:
    FreshCublasLt() { fake_cublaslt() = {}; }
    ~FreshCublasLt() { fake_cublaslt() = {}; }
    FreshCublasLt(const FreshCublasLt&) = delete;
    FreshCublasLt& operator=(const FreshCublasLt&) = delete;
};

}  // namespace headroom
