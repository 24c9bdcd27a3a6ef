// Which nodes are fused, and what fused nodes compute against the nodes one by one.
#include "cuda/fusion/fusion.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/model/model_graph.h"
#include "core/ops/activation.h"
#include "core/ops/add.h"
#include "core/ops/bias.h"
#include "core/ops/linear.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/emulated_gemm.h"
#include "tests/cuda/emulation/fake_cublaslt.h"
#include "tests/cuda/graph_trainer.h"
#include "tests/support/environment.h"

namespace headroom {
namespace {

/// How many fusions of each name the plan of a graph allows.
std::map<std::string, int> fusions_of(const Graph& graph) {
    const Plan plan = plan_memory(graph, [](const Node&) { return int64_t{0}; });
    std::map<std::string, int> counts;
    for (const cuda::Fusion& fusion : cuda::find_fusions(graph))
        if (cuda::fits(fusion, plan)) ++counts[fusion.name];
    return counts;
}

/// Of a training step of a preset in bfloat16, printed. An evaluation is among it.
std::map<std::string, int> fusions_of_preset(const std::string& preset,
                                             const nlohmann::json& changes = {}) {
    nlohmann::json model{{"preset", preset}, {"vocab_size", 50304}};
    model.update(changes.is_null() ? nlohmann::json::object() : changes);
    Job job = parse_job({{"model", model}, {"precision", "bfloat16"}}, "test");
    job.train.batch_size = 2;
    job.train.seq_len = 1024;
    const std::map<std::string, int> counts = fusions_of(build_training_graph(job).graph);
    printf("%s %s\n", preset.c_str(), changes.dump().c_str());
    for (const auto& [name, count] : counts) printf("  %3d  %s\n", count, name.c_str());
    return counts;
}

using Counts = std::map<std::string, int>;

// 12 layers, forward and evaluation: the products behind both residuals.
TEST(FusionsOf, Gpt2WithoutBiases) {
    const Counts expected{{"linear + add", 48}, {"adamw", 1}};
    EXPECT_EQ(fusions_of_preset("gpt2-124m"), expected);
    EXPECT_EQ(fusions_of_preset("gpt2-124m-wq-identity"), expected);
    EXPECT_EQ(fusions_of_preset("gpt2-124m-skipv1"), expected);
    EXPECT_EQ(fusions_of_preset("gpt2-124m", {{"base", "llama"}, {"arch", "llama"}}), expected);
}

TEST(FusionsOf, Gpt2WithoutBiasesAndTanhGelu) {
    const Counts expected{{"linear + activation", 24},
                          {"linear + add", 48},
                          {"linear_backward_input + activation_backward", 12},
                          {"adamw", 1}};
    EXPECT_EQ(fusions_of_preset("gpt2-124m", {{"mlp", "gelu_tanh"}}), expected);
}

TEST(FusionsOf, OpenAisGpt2) {
    const Counts expected{{"linear + add_bias", 72},  // q, k, v
                          {"linear + add_bias + activation", 24},
                          {"linear + add_bias + add", 48},
                          {"linear_backward_input + activation_backward", 12},
                          {"add_bias_backward + linear_backward_weight", 72},
                          {"adamw", 1}};
    EXPECT_EQ(fusions_of_preset("openai-gpt2"), expected);
}

TEST(FusionsOf, AnUpdateAreOneCallForAllTensorsAndTheirCopies) {
    const Job job = job_with_everything("gpt2", DType::kBF16);
    const TrainingGraph training = build_training_graph(job);
    size_t nodes = 0, fusions = 0, fused = 0;
    for (const Node& node : training.graph.nodes()) nodes += node.phase == Phase::kUpdate ? 1 : 0;
    for (const cuda::Fusion& fusion : cuda::find_fusions(training.graph)) {
        if (fusion.node.phase != Phase::kUpdate) continue;
        ++fusions;
        fused += fusion.nodes.size();
        EXPECT_EQ(fusion.name, "adamw");
    }
    EXPECT_EQ(fusions, 1u);
    EXPECT_EQ(fused, nodes - 1) << "all but the norm";
}

/// y = act(x W + b) with a tap wherever one is asked for.
struct SmallChain {
    Graph graph;
    ValueId x, w, b, product, biased, y;

    explicit SmallChain(ActivationKind kind = ActivationKind::kGeluTanh) {
        x = graph.add_value("x", {DType::kF32, {4, 8}}, Role::kActivation);
        w = graph.add_value("w", {DType::kF32, {8, 8}}, Role::kParameter);
        b = graph.add_value("b", {DType::kF32, {8}}, Role::kParameter);
        product = graph.apply1(Phase::kForward, std::make_shared<Linear>(), {x, w}, "product");
        biased = graph.apply1(Phase::kForward, std::make_shared<AddBias>(), {product, b}, "biased");
        y = graph.apply1(Phase::kForward, std::make_shared<Activation>(kind), {biased}, "y",
                         Role::kResult);
    }
};

TEST(Fusions, LeaveOutNothingThatAProbeKeeps) {
    SmallChain chain;
    EXPECT_EQ(fusions_of(chain.graph), (Counts{{"linear + add_bias + activation", 1}}));
    chain.graph.keep(chain.biased);  // is made on the way
    EXPECT_EQ(fusions_of(chain.graph), (Counts{{"linear + add_bias + activation", 1}}));
    chain.graph.keep(chain.product);
    EXPECT_EQ(fusions_of(chain.graph), Counts{});
}

TEST(Fusions, LeaveOutNothingThatAnotherNodeReads) {
    SmallChain chain;
    chain.graph.apply1(Phase::kForward, std::make_shared<Add>(), {chain.product, chain.y}, "sum",
                       Role::kResult);
    EXPECT_EQ(fusions_of(chain.graph), Counts{});
}

TEST(Fusions, KeepToTheGeluThatTheLibraryHas) {
    EXPECT_EQ(fusions_of(SmallChain(ActivationKind::kGelu).graph),
              (Counts{{"linear + add_bias", 1}}));
}

TEST(Fusions, FitOnlyWhereOutputsLieOverNothingThatIsRead) {
    const SmallChain chain;
    const std::vector<cuda::Fusion> fusions = cuda::find_fusions(chain.graph);
    ASSERT_EQ(fusions.size(), 1u);
    Plan plan = plan_memory(chain.graph, [](const Node&) { return int64_t{0}; });
    EXPECT_TRUE(cuda::fits(fusions[0], plan));
    auto& y = plan.values[static_cast<size_t>(chain.y)];
    y.offset = plan.values[static_cast<size_t>(chain.x)].offset + 64;  // x dies before y is made
    EXPECT_FALSE(cuda::fits(fusions[0], plan));
}

TEST(Fusions, MayAddInPlaceButNotBesideIt) {
    Graph graph;
    const ValueId x = graph.add_value("x", {DType::kF32, {4, 8}}, Role::kInput);
    const ValueId w = graph.add_value("w", {DType::kF32, {8, 8}}, Role::kParameter);
    const ValueId r = graph.add_value("r", {DType::kF32, {4, 8}}, Role::kInput);
    const ValueId p = graph.apply1(Phase::kForward, std::make_shared<Linear>(), {x, w}, "p");
    const ValueId y =
        graph.apply1(Phase::kForward, std::make_shared<Add>(), {r, p}, "y", Role::kResult);
    const cuda::Fusion fusion = std::move(cuda::find_fusions(graph).at(0));
    Plan plan = plan_memory(graph, [](const Node&) { return int64_t{0}; });
    const auto at = [&](ValueId id) -> auto& {
        return plan.values[static_cast<size_t>(id)];
    };
    EXPECT_TRUE(cuda::fits(fusion, plan));
    at(y).offset = at(r).offset;
    EXPECT_TRUE(cuda::fits(fusion, plan));
    at(y).offset = at(r).offset + 64;
    EXPECT_FALSE(cuda::fits(fusion, plan));
}

class FusedNodes : public testing::TestWithParam<const char*> {};

TEST_P(FusedNodes, AreEpiloguesOfProducts) {
    const auto device = make_emulated_cuda_device();
    GraphTrainer fused(job_with_everything(GetParam(), DType::kBF16), *device);
    const int64_t before = EmulatedGemmLibrary::epilogues_made();
    fused.run();
    EXPECT_GE(EmulatedGemmLibrary::epilogues_made() - before, 100);
}

TEST_P(FusedNodes, AreRunApartWhereTheLibraryHasNoEpilogue) {
    const auto device = make_emulated_cuda_device_without_epilogues();
    const Job job = job_with_everything(GetParam(), DType::kBF16);
    GraphTrainer fused(job, *device), plain(job, *device);
    fused.run();
    plain.run_apart();
    EXPECT_EQ(fused.results(), plain.results());
}

/// Two ways to count, one by rows, one by columns.
TEST_P(FusedNodes, ComputeTheSameByTheLibrary) {
    const Environment off("HEADROOM_CUDA_TUNING", "off");
    const FreshCublasLt fresh;
    for (const auto& [precision, tolerance] :
         {std::pair{DType::kF64, 1e-12}, {DType::kF32, 1e-5}, {DType::kBF16, 2e-2}}) {
        SCOPED_TRACE(name_of(precision));
        const Job job = job_with_everything(GetParam(), precision);
        const auto by_library = make_emulated_cuda_device_with_library();
        const auto by_loops = make_emulated_cuda_device();
        GraphTrainer actual(job, *by_library), expected(job, *by_loops);
        actual.run();
        expected.run_apart();
        expect_near(actual, expected, tolerance, precision != DType::kBF16);
    }
    EXPECT_GE(fake_cublaslt().ran.size(), 400u);
}

INSTANTIATE_TEST_SUITE_P(Of, FusedNodes,
                         testing::Values("gpt2", "wq_identity", "skipv1", "parallel"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace headroom
