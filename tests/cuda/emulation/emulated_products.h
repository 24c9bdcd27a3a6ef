#pragma once

#include "cuda/products/products.h"

namespace headroom {

/// Products as plain loops in double, rounded once where they are stored. `epilogues`: whether it
/// has those; a library may lack them for some shapes.
class EmulatedProducts : public cuda::Products {
  public:
    explicit EmulatedProducts(bool epilogues = true) : epilogues_(epilogues) {}

    int64_t workspace_bytes() const override { return kWorkspaceBytes; }
    void set_workspace(std::byte* workspace) override { workspace_ = workspace; }

    using Products::run;
    void run(const cuda::Product& product, cudaStream_t stream) override;
    bool run_with(const cuda::Product& product, const cuda::Epilogue& epilogue,
                  cudaStream_t stream) override;

    /// Products with epilogues that this thread has made so far.
    static int64_t epilogues_made();

  private:
    void launch(const cuda::Product& product, const cuda::Epilogue& epilogue,
                cudaStream_t stream) const;

    static constexpr int64_t kWorkspaceBytes = 1000;
    bool epilogues_;
    std::byte* workspace_ = nullptr;
};

}  // namespace headroom
