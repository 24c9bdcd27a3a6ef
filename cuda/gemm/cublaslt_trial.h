#pragma once

#include <optional>
#include <vector>

#include "cuda/gemm/cublaslt_gemm.h"

namespace headroom::cuda {

/// The algorithm that took least time, and how much.
struct Fastest {
    Algorithm algorithm{};
    double ms = 0;
};

/// Runs a product by each of the algorithms, reading its operands and writing memory of its own:
/// C, what is kept and what is summed stay as they are. nullopt if there is no memory for that, or
/// if none of them runs. Waits for the stream, which must not be recorded.
std::optional<Fastest> fastest_of(LibraryGemm& library_gemm, const Library& library,
                                  const std::vector<Algorithm>& algorithms, const Gemm& product,
                                  const Epilogue& epilogue, Scratch scratch, cudaStream_t stream);

/// What the nodes of the epilogue would cost as kernels of their own, each at the speed of a copy
/// of what it goes over; nullopt without memory for the trial.
std::optional<double> epilogue_apart_ms(const Gemm& product, const Epilogue& epilogue,
                                        cudaStream_t stream);

}  // namespace headroom::cuda
