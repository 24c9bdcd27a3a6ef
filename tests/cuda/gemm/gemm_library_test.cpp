// GemmLibrary by cuBLASLt, over a fake of it that counts by columns: what they compute, and which
// algorithm they take.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/op_cases/op_case_run.h"
#include "cuda/device/cuda_device.h"
#include "cuda/device/device_memory.h"
#include "cuda/device/stream.h"
#include "cuda/gemm/algorithm_cache.h"
#include "tests/cuda/emulation/emulated_gemm.h"
#include "tests/cuda/emulation/emulated_runtime.h"
#include "tests/cuda/emulation/fake_cublaslt.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

namespace headroom::cuda {
namespace {

constexpr int64_t kCount = 400;

/// Device memory with numbers in it.
class Matrix {
  public:
    Matrix(DType dtype, uint32_t seed)
        : memory_(kCount * size_of(dtype)), tensor_{memory_.data(), {dtype, {kCount}}} {
        std::mt19937 random(seed);
        std::vector<double> numbers;
        for (int64_t i = 0; i < kCount; ++i)
            numbers.push_back(static_cast<double>(random() % 64) / 32 - 1);
        from_doubles(numbers, tensor_);
    }
    void* data() const { return tensor_.data; }
    std::vector<double> numbers() const { return to_doubles(tensor_); }

  private:
    DeviceMemory memory_;
    Tensor tensor_;
};

/// The operands of one product and of any epilogue.
struct Operands {
    DType in, out;
    Matrix a{in, 1}, b{in, 2}, c{out, 3}, add{out, 4}, kept{out, 5}, bias{out, 6}, sums{out, 7};

    Gemm product(bool a_transposed, bool b_transposed, bool accumulate) {
        const GemmShape shape{5, 8, 6, a_transposed, b_transposed, 9, 10, 16, accumulate};
        return {shape, in, a.data(), b.data(), out, c.data()};
    }
    std::vector<std::vector<double>> results() const {
        return {c.numbers(), kept.numbers(), sums.numbers()};
    }
};

/// Scratch for products, as the executor gives it.
struct Ready {
    explicit Ready(std::unique_ptr<GemmLibrary> made) : products(std::move(made)) {
        memory = DeviceMemory(static_cast<size_t>(products->workspace_bytes()));
        products->set_workspace(memory.data());
    }
    std::unique_ptr<GemmLibrary> products;
    DeviceMemory memory;
};

void expect_same(const Operands& actual, const Operands& expected) {
    const auto a = actual.results(), b = expected.results();
    for (size_t r = 0; r < a.size(); ++r)
        for (size_t i = 0; i < a[r].size(); ++i)
            ASSERT_NEAR(a[r][i], b[r][i], 1e-6 * (1 + std::abs(b[r][i]))) << r << " " << i;
}

class GemmLibraryOnDevice : public testing::Test {
  protected:
    /// Runs the product by the library and by plain loops; whether the library had it.
    bool expect_right(DType in, DType out, const std::function<Gemm(Operands&)>& product,
                      const std::function<Epilogue(Operands&)>& epilogue) {
        Operands actual{in, out}, expected{in, out};
        bool had = true;
        if (epilogue)
            had = library_.products->run_with(product(actual), epilogue(actual), stream_.get());
        else
            library_.products->run(product(actual), stream_.get());
        EmulatedGemmLibrary loops;
        if (had && epilogue)
            loops.run_with(product(expected), epilogue(expected), stream_.get());
        else if (had)
            loops.run(product(expected), stream_.get());
        stream_.wait();
        expect_same(actual, expected);
        return had;
    }

    FreshCublasLt fresh_;
    headroom::Environment off_{"HEADROOM_CUDA_TUNING", "off"};
    Ready library_{make_cublaslt_library()};
    Stream stream_;
};

const std::pair<DType, DType> kGemmTypes[] = {{DType::kF32, DType::kF32},
                                              {DType::kF64, DType::kF64},
                                              {DType::kBF16, DType::kBF16},
                                              {DType::kBF16, DType::kF32}};

TEST_F(GemmLibraryOnDevice, AreThoseOfMatricesStoredByRows) {
    for (const auto& [in, out] : kGemmTypes)
        for (int flags = 0; flags < 8; ++flags) {
            SCOPED_TRACE(flags);
            expect_right(in, out,
                         [&](Operands& o) {
                             return o.product((flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0);
                         },
                         {});
        }
    EXPECT_EQ(fake_cublaslt().ran.size(), 32u) << "all by the library";
}

TEST_F(GemmLibraryOnDevice, AreMadeInBatches) {
    for (const auto& [in, out] : kGemmTypes) {
        expect_right(in, out,
                     [](Operands& o) {
                         Gemm product = o.product(false, true, true);
                         product.batch = {3, 60, 80, 90};
                         return product;
                     },
                     {});
    }
    EXPECT_EQ(fake_cublaslt().ran.size(), 4u);
}

TEST_F(GemmLibraryOnDevice, AddBiasAndResidual) {
    for (const auto& [in, out] : kGemmTypes)
        for (int parts = 1; parts < 4; ++parts)
            EXPECT_TRUE(expect_right(
                in, out, [](Operands& o) { return o.product(false, false, false); },
                [&](Operands& o) {
                    Epilogue epilogue;
                    if ((parts & 1) != 0) epilogue.bias = o.bias.data();
                    if ((parts & 2) != 0) epilogue.add = o.add.data();
                    return epilogue;
                }));
}

TEST_F(GemmLibraryOnDevice, ApplyGeluAndKeepWhatItWasAppliedTo) {
    for (int parts = 0; parts < 4; ++parts)
        EXPECT_TRUE(expect_right(
            DType::kBF16, DType::kBF16, [](Operands& o) { return o.product(false, false, false); },
            [&](Operands& o) {
                Epilogue epilogue;
                epilogue.gelu = true;
                if ((parts & 1) != 0) epilogue.bias = o.bias.data();
                if ((parts & 2) != 0) epilogue.before_gelu = o.kept.data();
                return epilogue;
            }));
}

TEST_F(GemmLibraryOnDevice, MultiplyByTheSlopeOfGelu) {
    const auto slope = [](Operands& o) {
        Epilogue epilogue;
        epilogue.slope_at = o.add.data();
        return epilogue;
    };
    const auto product = [](Operands& o) { return o.product(false, true, false); };
    EXPECT_TRUE(expect_right(DType::kBF16, DType::kBF16, product, slope));
    EXPECT_FALSE(expect_right(DType::kF32, DType::kF32, product, slope));
}

TEST_F(GemmLibraryOnDevice, SumTheColumnsOfDy) {
    for (const bool accumulate : {false, true})
        EXPECT_TRUE(expect_right(
            DType::kBF16, DType::kF32,
            [&](Operands& o) { return o.product(true, false, accumulate); },
            [](Operands& o) {
                Epilogue epilogue;
                epilogue.column_sums = o.sums.data();
                return epilogue;
            }));
}

TEST_F(GemmLibraryOnDevice, TakeOddAddressesAndStrides) {
    expect_right(DType::kBF16, DType::kBF16,
                 [](Operands& o) {
                     Gemm product = o.product(false, false, true);
                     product.a = static_cast<const std::byte*>(product.a) + 2;
                     product.c = static_cast<std::byte*>(product.c) + 6;
                     product.shape.lda = 7, product.shape.ldb = 9, product.shape.ldc = 11;
                     return product;
                 },
                 {});
    EXPECT_EQ(fake_cublaslt().ran.size(), 1u);
}

TEST_F(GemmLibraryOnDevice, AreRightWhereTheLibraryHasNone) {
    fake_cublaslt().proposals = 0;
    const auto product = [](Operands& o) { return o.product(true, true, true); };
    expect_right(DType::kBF16, DType::kF32, product, {});
    const auto bias = [](Operands& o) {
        Epilogue epilogue;
        epilogue.bias = o.bias.data();
        return epilogue;
    };
    EXPECT_FALSE(expect_right(DType::kBF16, DType::kF32, product, bias));
    EXPECT_TRUE(fake_cublaslt().ran.empty());
}

class Tuning : public testing::Test {
  protected:
    Tuning() { fake_cublaslt().ms = {3, 0.2, 3}; }

    Ready open() { return Ready(make_cublaslt_library()); }
    /// C += A B, checked; the algorithm that it ran by in the end.
    int run(Ready& library) {
        Operands actual{DType::kF32, DType::kF32}, expected{DType::kF32, DType::kF32};
        library.products->run(actual.product(false, false, true), stream_.get());
        EmulatedGemmLibrary().run(expected.product(false, false, true), stream_.get());
        stream_.wait();
        expect_same(actual, expected);
        return fake_cublaslt().ran.empty() ? 0 : fake_cublaslt().ran.back();
    }
    bool run_with_bias(Ready& library) {
        Operands operands{DType::kF32, DType::kF32};
        Epilogue epilogue;
        epilogue.bias = operands.bias.data();
        const Gemm product = operands.product(false, false, false);
        const bool had = library.products->run_with(product, epilogue, stream_.get());
        stream_.wait();
        return had;
    }
    std::filesystem::path file() const {
        return folder_.path() / "headroom" / "cuda-products.json";
    }

    FreshCublasLt fresh_;
    TemporaryFolder folder_;
    headroom::Environment cache_{"XDG_CACHE_HOME", folder_.path().string()};
    headroom::Environment on_{"HEADROOM_CUDA_TUNING", std::nullopt};
    Stream stream_;
};

TEST_F(Tuning, TakesTheFastestAndWritesOnlyItsOwnMemory) {
    Ready library = open();
    EXPECT_EQ(run(library), 2);
    const size_t trials = fake_cublaslt().ran.size();
    EXPECT_GT(trials, 9u);
    EXPECT_EQ(run(library), 2);
    EXPECT_EQ(fake_cublaslt().ran.size(), trials + 1) << "no trial the second time";
    for (const float beta : fake_cublaslt().betas) EXPECT_EQ(beta, 1) << "as it will be run";
}

TEST_F(Tuning, IsDoneOnceForAllProcesses) {
    Ready first = open();
    run(first);
    fake_cublaslt().ran.clear();
    fake_cublaslt().ms = {0, 3, 0};
    Ready second = open();
    EXPECT_EQ(run(second), 2);
    EXPECT_EQ(fake_cublaslt().ran.size(), 1u);
}

TEST_F(Tuning, CanBeSwitchedOff) {
    const headroom::Environment off("HEADROOM_CUDA_TUNING", "off");
    Ready library = open();
    EXPECT_EQ(run(library), 1);
    EXPECT_EQ(fake_cublaslt().ran.size(), 1u);
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Tuning, LeavesOutWhatDoesNotRun) {
    fake_cublaslt().failing = {2};
    fake_cublaslt().ms = {3, 0, 0.2};
    Ready library = open();
    EXPECT_EQ(run(library), 3);
}

TEST_F(Tuning, FallsBackOnPlainLoopsIfNothingRuns) {
    fake_cublaslt().failing = {1, 2, 3};
    Ready library = open();
    EXPECT_EQ(run(library), 0);
    EXPECT_FALSE(std::filesystem::exists(file())) << "nothing to keep";
}

TEST_F(Tuning, TakesTheFirstProposalWhereMemoryIsShort) {
    Ready library = open();
    Operands operands{DType::kF32, DType::kF32};
    const ScarceMemory scarce(16);
    library.products->run(operands.product(false, false, false), stream_.get());
    stream_.wait();
    EXPECT_EQ(fake_cublaslt().ran, std::vector<int>{1});
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Tuning, MakesNoTrialsWhileTheStreamIsRecorded) {
    Ready library = open();
    Operands operands{DType::kF32, DType::kF32};
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    library.products->run(operands.product(false, false, false), stream_.get());
    ASSERT_EQ(cudaStreamEndCapture(stream_.get(), &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    EXPECT_EQ(fake_cublaslt().ran, std::vector<int>{1});
}

TEST_F(Tuning, KeepsAlgorithmsThatOnlyARecordingRefused) {
    Ready library = open();
    Operands operands{DType::kF32, DType::kF32};
    const Gemm product = operands.product(false, false, false);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    fake_cublaslt().failing = {1, 2, 3};
    EXPECT_THROW(library.products->run(product, stream_.get()), EnvironmentError);
    fake_cublaslt().failing.clear();
    ASSERT_EQ(cudaStreamEndCapture(stream_.get(), &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    library.products->run(product, stream_.get());
    stream_.wait();
    EXPECT_EQ(fake_cublaslt().ran, std::vector<int>{1});
}

TEST_F(Tuning, AsksForNoMoreMemoryThanATrialNeeds) {
    Ready library = open();
    Operands operands{DType::kF32, DType::kF32};
    const ScarceMemory scarce(512);  // C takes 304 bytes
    library.products->run(operands.product(false, false, false), stream_.get());
    stream_.wait();
    EXPECT_GT(fake_cublaslt().ran.size(), 9u);
}

TEST_F(Tuning, MeasuresNothingWhereTheChoiceCannotBeKept) {
    const headroom::Environment no_folder("XDG_CACHE_HOME", std::nullopt);
    const headroom::Environment no_home("HOME", std::nullopt);
    testing::internal::CaptureStderr();
    Ready library = open();
    EXPECT_EQ(run(library), 1);
    EXPECT_EQ(fake_cublaslt().ran.size(), 1u);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("not timed"), std::string::npos) << said;
}

TEST_F(Tuning, MeasuresAgainWhatTheLibraryNoLongerHas) {
    Ready first = open();
    run(first);
    std::string text = read_text(file());
    const size_t digits = text.find("0200000000000000");  // the algorithm's number, 2
    ASSERT_NE(digits, std::string::npos);
    write_file_atomically(file(), text.replace(digits, 2, "ee"));
    Ready second = open();
    EXPECT_EQ(run(second), 2);
    EXPECT_EQ(read_text(file()).find("ee00000000000000"), std::string::npos);
}

TEST_F(Tuning, TakesAnEpilogueThatIsFasterThanKernelsOfItsOwn) {
    fake_cublaslt().ms = {3, 3, 3};
    fake_cublaslt().epilogue_ms = -2.5;
    Ready library = open();
    EXPECT_TRUE(run_with_bias(library));
}

TEST_F(Tuning, LeavesAnEpilogueThatIsSlower) {
    fake_cublaslt().ms = {0.5, 0.5, 0.5};
    fake_cublaslt().epilogue_ms = 5;
    Ready library = open();
    EXPECT_FALSE(run_with_bias(library));
    const size_t trials = fake_cublaslt().ran.size();
    EXPECT_FALSE(run_with_bias(library));
    Ready second = open();
    EXPECT_FALSE(run_with_bias(second));
    EXPECT_EQ(fake_cublaslt().ran.size(), trials);
}

}  // namespace
}  // namespace headroom::cuda
