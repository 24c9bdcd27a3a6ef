// Models of images: their tensors, gradients, and that every variant of attention learns in them.
#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/parameter_count.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "core/device/batch_inputs.h"
#include "core/model/initialize.h"
#include "core/train/evaluation.h"
#include "core/train/training_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/training_fixture.h"
#include "tests/core/train/test_data.h"

namespace headroom {
namespace {

using nlohmann::json;

class ImageModel : public testing::TestWithParam<Architecture> {};

TEST_P(ImageModel, GradientsMatchFiniteDifferencesInDouble) {
    const Job job = small_image_job(GetParam().keys);
    TrainingFixture fixture(
        job, [&](Batch& batch) { BrightPatch(job.model.vocab_size).train_batch(1, 0, batch); });
    check_gradients(fixture);
}

/// No mask: what the class token reads in the first block depends on every patch.
TEST_P(ImageModel, EveryPatchMattersToTheClasses) {
    const Job job = small_image_job(GetParam().keys);
    InferenceGraph inference = build_inference_graph(job.model, DType::kF64, 1, job.train.seq_len);
    const auto device = make_cpu_device();
    const auto executor = device->prepare(inference.graph);
    for (const GraphParameter& parameter : inference.parameters) {
        ParameterSpec spec = parameter.spec;
        if (spec.init_std > 0) spec.init_std = 0.4;
        std::vector<double> values(static_cast<size_t>(spec.count()));
        fill_initial(spec, 7, std::span<double>(values));
        executor->write(parameter.value, std::as_bytes(std::span(values)));
    }
    executor->run(Phase::kPrepare, {});
    const auto logits_of = [&](int64_t changed) {
        std::vector<float> patches(static_cast<size_t>(4 * job.model.patch_width()));
        for (size_t i = 0; i < patches.size(); ++i) {
            patches[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i)));
            if (static_cast<int64_t>(i) / job.model.patch_width() == changed) patches[i] += 0.5f;
        }
        executor->write(inference.input, std::as_bytes(std::span(patches)));
        executor->run(Phase::kForward, {});
        std::vector<double> logits(static_cast<size_t>(job.model.vocab_size));
        executor->read(inference.logits, std::as_writable_bytes(std::span(logits)));
        return logits;
    };
    const std::vector<double> plain = logits_of(-1);
    for (int64_t patch = 0; patch < 4; ++patch) EXPECT_NE(logits_of(patch), plain) << patch;
}

/// One of each way to make queries, keys and values, to share them, and to sum up.
std::vector<Architecture> architectures_that_learn() {
    const std::set<std::string> names{"Gpt2",          "QueryIdentity", "KeyIdentity",
                                      "ValueIdentity", "Biases",        "QueryNonlinear",
                                      "Llama",         "GroupedQuery",  "Latent",
                                      "SkipV1",        "SkipKV1",       "ResFormer",
                                      "Yoco",          "Cla",           "OwnTable",
                                      "DenseFormer",   "Parallel",      "HyperConnections",
                                      "MeanPooling"};
    std::vector<Architecture> list;
    for (const Architecture& architecture : image_architectures_to_test())
        if (names.contains(architecture.name)) list.push_back(architecture);
    EXPECT_EQ(list.size(), names.size());
    return list;
}

class ImageLearning : public testing::TestWithParam<Architecture> {};

TEST_P(ImageLearning, LearnsWhichPatchIsBright) {
    json keys = json::parse(GetParam().keys);
    keys.update({{"d_model", 16}, {"d_ff", 32}});
    if (GetParam().needs_large_weights)
        keys.update({{"init_std", 0.3}, {"init_residual_scale", false}});
    const Job job = image_job_that_learns(keys.dump());
    const BrightPatch data(3);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    StepResult last;
    for (int64_t step = 1; step <= job.train.steps; ++step) last = session.step(step);
    const LossSum sum = session.evaluate_sum();
    EXPECT_EQ(sum.targets, 128);
    EXPECT_GE(sum.accuracy(), 0.9) << "loss " << sum.mean();
    EXPECT_GE(last.accuracy, 0.75);
    EXPECT_LE(last.accuracy, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Architectures, ImageLearning,
                         testing::ValuesIn(architectures_that_learn()),
                         [](const auto& architecture) { return architecture.param.name; });

INSTANTIATE_TEST_SUITE_P(Architectures, ImageModel,
                         testing::ValuesIn(image_architectures_to_test()),
                         [](const auto& architecture) { return architecture.param.name; });

int64_t parameters_of(const std::string& keys) {
    return count_parameters(parse_model_config(json::parse(keys), "")).total;
}

/// Wu et al., appendix C.6: 5.5M. 3 p^2 d + d of the patches' map, d of the class token, (P + 1) d
/// of positions, 12 (12 d^2 + 13 d) of the blocks, 2 d of the last norm, d n + n of the classifier.
TEST(ImageCounts, AreThoseOfViTTiny) {
    EXPECT_EQ(parameters_of(R"({"preset": "vit-tiny-224", "n_class": 10})"), 5526346);
    EXPECT_EQ(parameters_of(R"({"preset": "vit-tiny-224", "n_class": 100})"), 5543716);
    EXPECT_EQ(parameters_of(R"({"preset": "vit-tiny", "n_class": 10})"), 5362762);
    EXPECT_EQ(parameters_of(R"({"preset": "vit-tiny", "n_class": 10, "image_size": 224,
                                "patch_size": 16})"),
              5526346);
    // One of three value heads with its bias less in 11 layers.
    EXPECT_EQ(parameters_of(R"({"preset": "vit-tiny-skipv1", "n_class": 10})"),
              5362762 - 11 * (64 * 192 + 64));
    EXPECT_EQ(parameters_of(R"({"preset": "vit-tiny", "n_class": 10, "pooling": "mean"})"),
              5362762 - 2 * 192);
}

/// A token is a position: 65 of them, 64 projected from patches, one told a class.
TEST(ImageCounts, FlopsCountPatchesAndClassifierAsOftenAsAnImageUsesThem) {
    const ModelConfig model =
        parse_model_config(json::parse(R"({"preset": "vit-tiny", "n_class": 10})"), "");
    const int64_t blocks = 12 * 12 * 192 * 192, patches = 48 * 192, head = 192 * 10;
    const FlopCount flops = count_flops(model, 65);
    EXPECT_EQ(flops.product_parameters, (65 * blocks + 64 * patches + head) / 65);
    EXPECT_EQ(flops.forward_attention, 2 * 12 * 65 * 3 * (64 + 64));
}

TEST(ImageCounts, TensorsAreNamedAndOrderedAsTheForwardPass) {
    const Job job = small_image_job(R"({"bias": true, "n_layer": 1})");
    std::vector<std::string> names;
    for (const ParameterSpec& spec : parameter_specs(job.model))
        if (spec.layer < 0) names.push_back(spec.name + " " + to_string(spec.shape));
    EXPECT_THAT(names, testing::ElementsAre("patch.weight [12, 8]", "patch.bias [8]",
                                            "cls_token.weight [1, 8]", "wpe.weight [5, 8]",
                                            "ln_f.weight [8]", "ln_f.bias [8]",
                                            "head.weight [8, 3]", "head.bias [3]"));
}

TEST(ImageTraining, MicroBatchesAddUpToTheStep) {
    Job whole = small_image_job("{}");
    whole.train.batch_size = 4;
    whole.train.steps = 2;
    whole.train.eval_batches = 1;
    Job parts = whole;
    parts.train.batch_size = 2;
    parts.train.grad_accum = 2;

    /// The same four rows, at once or in two micro-batches.
    class Rows : public BrightPatch {
      public:
        Rows() : BrightPatch(3) {}
        void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
            Batch four = batch.with_rows(4);
            BrightPatch::train_batch(step, 0, four);
            batch.copy_rows(four, micro * batch.batch_size());
        }
    };
    const Rows data;
    const auto device = make_cpu_device();
    TrainingSession at_once(whole, data, *device), in_parts(parts, data, *device);
    at_once.initialize();
    in_parts.initialize();
    for (int64_t step = 1; step <= 2; ++step) {
        const StepResult a = at_once.step(step), b = in_parts.step(step);
        EXPECT_NEAR(a.loss, b.loss, 1e-12);
        EXPECT_NEAR(a.grad_norm, b.grad_norm, 1e-12);
        EXPECT_EQ(a.accuracy, b.accuracy);
    }
}

}  // namespace
}  // namespace headroom
