#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "cuda/device/check.h"
#include "cuda/device/cuda_device.h"
#include "cuda/gemm/algorithm_cache.h"
#include "cuda/gemm/cublaslt_trial.h"
#include "cuda/gemm/plain_gemm.h"

namespace headroom::cuda {
namespace {

/// What the library wants on Hopper and later.
constexpr size_t kScratchBytes = size_t{32} << 20;
/// The choice that says: the epilogue's nodes one by one are faster.
constexpr char kApart[] = "apart";

bool tuning_wanted() {
    const char* value = std::getenv("HEADROOM_CUDA_TUNING");
    return value == nullptr || std::string_view(value) != "off";
}

bool is_recorded(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &status), "look at a stream");
    return status != cudaStreamCaptureStatusNone;
}

/// The device and all versions on which the speed and the bits of an algorithm depend.
std::string describe_machine() {
    int device = 0, driver = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device), "tell its device");
    check(cudaGetDeviceProperties(&properties, device), "describe the device");
    check(cudaDriverGetVersion(&driver), "tell the driver's version");
    return fmt::format("{}, {} multiprocessors, driver {}, cuBLASLt {}", properties.name,
                       properties.multiProcessorCount, driver, cublasLtGetVersion());
}

void warn(const std::string& text) {
    fmt::print(stderr, "warning: {}\n", text);
}

/// A product and the algorithms for it, the one to take first.
struct Plan {
    LibraryGemm product;
    std::vector<Algorithm> algorithms;
};

class CublasLtLibrary : public GemmLibrary {
  public:
    CublasLtLibrary()
        : cache_(tuning_ ? algorithm_cache_path(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"))
                         : std::filesystem::path(),
                 describe_machine(), warn) {
        check_blas(cublasLtCreate(library_.out()), "start");
    }

    int64_t workspace_bytes() const override { return static_cast<int64_t>(kScratchBytes); }
    void set_workspace(std::byte* workspace) override { scratch_ = {workspace, kScratchBytes}; }

    using GemmLibrary::run;
    void run(const Gemm& product, cudaStream_t stream) override {
        if (run_planned(product, {}, stream)) return;
        const GemmKey key(product, {});
        if (slow_.insert(key).second)
            warn(fmt::format("cuBLASLt has nothing for {}; a slow kernel stands in", key.text()));
        run_plain_gemm(product, stream);
    }

    bool run_with(const Gemm& product, const Epilogue& epilogue, cudaStream_t stream) override {
        return may_have_epilogue(product, epilogue) && run_planned(product, epilogue, stream);
    }

  private:
    /// False if the library has no algorithm that runs.
    bool run_planned(const Gemm& product, const Epilogue& epilogue, cudaStream_t stream) {
        Plan& plan = plan_of(product, epilogue, stream);
        std::vector<Algorithm>& algorithms = plan.algorithms;
        for (; !algorithms.empty(); algorithms.erase(algorithms.begin())) {
            const cublasStatus_t status = plan.product.launch(library_, algorithms.front(), product,
                                                              epilogue, scratch_, stream);
            if (status == CUBLAS_STATUS_SUCCESS) return true;
            // A refusal by the recording says nothing of the algorithm: the phase goes on without.
            if (is_recorded(stream)) check_blas(status, "be recorded");
            if (status == CUBLAS_STATUS_EXECUTION_FAILED) check_blas(status, "multiply");
        }
        return false;
    }

    Plan& plan_of(const Gemm& product, const Epilogue& epilogue, cudaStream_t stream) {
        const GemmKey key(product, epilogue);
        const auto found = plans_.find(key);
        if (found != plans_.end()) return found->second;
        Plan plan{LibraryGemm(product, epilogue), {}};
        plan.algorithms = plan.product.candidates(library_, kScratchBytes);
        if (tuning_ && !plan.algorithms.empty() && !is_recorded(stream))
            tune(plan, key, product, epilogue, stream);
        return plans_.emplace(key, std::move(plan)).first->second;
    }

    /// Puts the fastest algorithm first, or takes all away if the epilogue is better done apart.
    void tune(Plan& plan, const GemmKey& key, const Gemm& product, const Epilogue& epilogue,
              cudaStream_t stream) {
        const auto valid = [&](const std::string& choice) {
            if (choice == kApart) return true;
            const auto algorithm = algorithm_of(choice);
            return algorithm && plan.product.accepts(library_, *algorithm, kScratchBytes);
        };
        const std::string choice = cache_.choose(
            key.text(), valid, [&] { return measure(plan, product, epilogue, stream); });
        if (choice == kApart)
            plan.algorithms.clear();
        else if (const auto algorithm = algorithm_of(choice))
            plan.algorithms.insert(plan.algorithms.begin(), *algorithm);
    }

    /// The choice to keep; empty if nothing could be measured.
    std::string measure(Plan& plan, const Gemm& product, const Epilogue& epilogue,
                        cudaStream_t stream) {
        const auto fastest = fastest_of(plan.product, library_, plan.algorithms, product, epilogue,
                                        scratch_, stream);
        if (!fastest) return "";
        if (is_apart_faster(fastest->ms, product, epilogue, stream)) return kApart;
        return to_hex(&fastest->algorithm, sizeof(Algorithm));
    }

    bool is_apart_faster(double ms, const Gemm& product, const Epilogue& epilogue,
                         cudaStream_t stream) {
        const auto rest_ms = epilogue_apart_ms(product, epilogue, stream);
        if (!rest_ms || *rest_ms == 0) return false;
        LibraryGemm plain(product, {});
        const auto fastest = fastest_of(plain, library_, plain.candidates(library_, kScratchBytes),
                                        product, {}, scratch_, stream);
        return fastest && fastest->ms + *rest_ms < ms;
    }

    static std::optional<Algorithm> algorithm_of(const std::string& choice) {
        const auto bytes = from_hex(choice, sizeof(Algorithm));
        if (!bytes) return {};
        Algorithm algorithm{};
        std::memcpy(&algorithm, bytes->data(), sizeof(algorithm));
        return algorithm;
    }

    bool tuning_ = tuning_wanted();
    AlgorithmCache cache_;
    Library library_;
    Scratch scratch_;
    std::map<GemmKey, Plan> plans_;
    std::set<GemmKey> slow_;  ///< products that have been warned of
};

}  // namespace

std::unique_ptr<GemmLibrary> make_cublaslt_library() {
    return std::make_unique<CublasLtLibrary>();
}

}  // namespace headroom::cuda
