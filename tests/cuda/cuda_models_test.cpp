// Whole models on the CUDA device against the CPU device: training steps, evaluation and decoding
// of every architecture.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/decode/decoding_session.h"
#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/core/train/test_data.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

struct Trained {
    std::vector<double> losses, norms;
    std::vector<double> accuracies;  ///< of images
};

Trained train(const Job& job, Device& device) {
    const CountingTokens tokens(job.model.vocab_size);
    const BrightPatch images(job.model.vocab_size);
    const bool reads_images = job.model.reads_images();
    TrainingSession session(job, reads_images ? static_cast<const DataSource&>(images) : tokens,
                            device);
    session.initialize();
    Trained trained;
    for (int step = 1; step <= 3; ++step) {
        const StepResult result = session.step(step);
        trained.losses.push_back(result.loss);
        trained.norms.push_back(result.grad_norm);
        if (reads_images) trained.accuracies.push_back(result.accuracy);
    }
    const LossSum sum = session.evaluate_sum();
    trained.losses.push_back(sum.mean());
    if (reads_images) trained.accuracies.push_back(sum.accuracy());
    return trained;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9 * (1 + std::abs(b[i])));
}

/// Logits after a prompt of two tokens and after each of four more.
std::vector<double> decode(const ModelConfig& model, Device& device) {
    DecodeShape shape;
    shape.capacity = 6;
    DecodingSession session(model, DType::kF64, shape, device);
    write_weights(session.executor(), session.graph().parameters, random_weights(model));
    const std::vector<int32_t> tokens = some_tokens(6, model.vocab_size);
    session.prefill(std::span(tokens).first(2));
    std::vector<double> all = session.logits();
    for (size_t t = 2; t < 6; ++t) {  // the last ones from a recorded graph
        session.step(std::span(tokens).subspan(t, 1));
        const std::vector<double> more = session.logits();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

class CudaModel : public testing::TestWithParam<Architecture> {};

TEST_P(CudaModel, TrainsToTheLossesOfTheCpu) {
    Job job = small_job(GetParam().keys);
    job.train.grad_accum = 2;
    job.train.dropout = 0.1;
    job.train.eval_batches = 2;
    std::string why_not;
    const auto cpu = make_cpu_device(), cuda = tested_cuda_device(why_not);
    if (!cuda) GTEST_SKIP() << why_not;
    const Trained expected = train(job, *cpu), actual = train(job, *cuda);
    expect_near(actual.losses, expected.losses);
    expect_near(actual.norms, expected.norms);
}

TEST_P(CudaModel, DecodesToTheLogitsOfTheCpu) {
    const ModelConfig model = small_job(GetParam().keys).model;
    if (!model.causal) GTEST_SKIP() << "an encoder has no cache";
    std::string why_not;
    const auto cpu = make_cpu_device(), cuda = tested_cuda_device(why_not);
    if (!cuda) GTEST_SKIP() << why_not;
    expect_near(decode(model, *cuda), decode(model, *cpu));
}

class CudaModelInBfloat16 : public testing::TestWithParam<Architecture> {};

/// bfloat16 takes other kernels: attention goes to the tensor cores. 70 tokens are two tiles of
/// keys.
TEST_P(CudaModelInBfloat16, TrainsNearTheFloat32LossesOfTheCpu) {
    Job job = small_job(GetParam().keys);
    job.model.block_size = job.train.seq_len = 70;
    job.train.batch_size = 1;
    job.train.eval_batches = 1;
    std::string why_not;
    const auto cpu = make_cpu_device(), cuda = tested_cuda_device(why_not);
    if (!cuda) GTEST_SKIP() << why_not;
    job.precision = DType::kF32;
    const Trained expected = train(job, *cpu);
    job.precision = DType::kBF16;
    const Trained actual = train(job, *cuda);
    for (size_t i = 0; i < expected.losses.size(); ++i)
        EXPECT_NEAR(actual.losses[i], expected.losses[i], 5e-3 * expected.losses[i]);
    for (size_t i = 0; i < expected.norms.size(); ++i)
        EXPECT_NEAR(actual.norms[i], expected.norms[i], 2e-2 * expected.norms[i]);
}

class CudaImageModel : public testing::TestWithParam<Architecture> {};

TEST_P(CudaImageModel, TrainsToTheLossesAndAccuraciesOfTheCpu) {
    Job job = small_image_job(GetParam().keys);
    job.train.batch_size = 6;
    job.train.grad_accum = 2;
    job.train.dropout = 0.1;
    job.train.eval_batches = 2;
    std::string why_not;
    const auto cpu = make_cpu_device(), cuda = tested_cuda_device(why_not);
    if (!cuda) GTEST_SKIP() << why_not;
    const Trained expected = train(job, *cpu), actual = train(job, *cuda);
    expect_near(actual.losses, expected.losses);
    expect_near(actual.norms, expected.norms);
    EXPECT_EQ(actual.accuracies, expected.accuracies);
    ASSERT_EQ(expected.accuracies.size(), 4u);
}

TEST_P(CudaImageModel, TrainsInBfloat16NearTheFloat32LossesOfTheCpu) {
    Job job = small_image_job(GetParam().keys);
    job.train.batch_size = 8;
    job.train.eval_batches = 1;
    std::string why_not;
    const auto cpu = make_cpu_device(), cuda = tested_cuda_device(why_not);
    if (!cuda) GTEST_SKIP() << why_not;
    job.precision = DType::kF32;
    const Trained expected = train(job, *cpu);
    job.precision = DType::kBF16;
    const Trained actual = train(job, *cuda);
    for (size_t i = 0; i < expected.losses.size(); ++i)
        EXPECT_NEAR(actual.losses[i], expected.losses[i], 5e-3 * expected.losses[i]);
    for (size_t i = 0; i < expected.norms.size(); ++i)
        EXPECT_NEAR(actual.norms[i], expected.norms[i], 3e-2 * expected.norms[i]);
}

/// What images change stands outside of the blocks: a few stand for all.
std::vector<Architecture> some_image_architectures() {
    const std::set<std::string> names{"Gpt2",   "Biases",      "Llama",
                                      "SkipV1", "MeanPooling", "MeanPoolingNoPositions"};
    std::vector<Architecture> some;
    for (const Architecture& architecture : image_architectures_to_test())
        if (names.contains(architecture.name)) some.push_back(architecture);
    return some;
}
INSTANTIATE_TEST_SUITE_P(Some, CudaImageModel, testing::ValuesIn(some_image_architectures()),
                         [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(Every, CudaModel, testing::ValuesIn(architectures_to_test()),
                         [](const auto& tested) { return tested.param.name; });

/// A few stand for all, since they take seconds.
std::vector<Architecture> some_architectures() {
    const std::set<std::string> names{"Gpt2",   "Llama",         "GroupedQuery", "Latent",
                                      "SkipV1", "QueryIdentity", "Yoco",         "Encoder"};
    std::vector<Architecture> some;
    for (const Architecture& architecture : architectures_to_test())
        if (names.contains(architecture.name)) some.push_back(architecture);
    return some;
}
INSTANTIATE_TEST_SUITE_P(Some, CudaModelInBfloat16, testing::ValuesIn(some_architectures()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace headroom
