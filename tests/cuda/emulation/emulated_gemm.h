#pragma once

#include "cuda/gemm/gemm_library.h"

namespace headroom {

/// GemmLibrary as plain loops in double, rounded once where they are stored. `epilogues`: whether
/// it has those; a library may lack them for some shapes.
class EmulatedGemmLibrary : public cuda::GemmLibrary {
  public:
    explicit EmulatedGemmLibrary(bool epilogues = true) : epilogues_(epilogues) {}

    int64_t workspace_bytes() const override { return kWorkspaceBytes; }
    void set_workspace(std::byte* workspace) override { workspace_ = workspace; }

    using GemmLibrary::run;
    void run(const cuda::Gemm& product, cudaStream_t stream) override;
    bool run_with(const cuda::Gemm& product, const cuda::Epilogue& epilogue,
                  cudaStream_t stream) override;

    /// Products with epilogues that this thread has made so far.
    static int64_t epilogues_made();

  private:
    void launch(const cuda::Gemm& product, const cuda::Epilogue& epilogue,
                cudaStream_t stream) const;

    static constexpr int64_t kWorkspaceBytes = 1000;
    bool epilogues_;
    std::byte* workspace_ = nullptr;
};

}  // namespace headroom
