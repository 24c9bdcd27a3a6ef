#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/model/model_graph.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/tiny_model.h"
#include "tests/core/model/training_fixture.h"

namespace headroom {
namespace {

/// Fixed tokens, of whose targets one is ignored.
class Fixture : public TrainingFixture {
  public:
    explicit Fixture(const Job& job)
        : TrainingFixture(job, [&](Batch& batch) {
              for (int64_t i = 0; i < job.train.batch_size * job.train.seq_len; ++i) {
                  const auto at = static_cast<size_t>(i);
                  batch.tokens()[at] = static_cast<int32_t>((i * 7 + 3) % job.model.vocab_size);
                  batch.targets()[at] =
                      i == 4 ? kIgnoredTarget
                             : static_cast<int32_t>((i * 5 + 1) % job.model.vocab_size);
              }
          }) {}
};

class ModelGradient : public testing::TestWithParam<Architecture> {};

TEST_P(ModelGradient, MatchesFiniteDifferencesInDouble) {
    Fixture fixture(small_job(GetParam().keys));
    check_gradients(fixture);
}

TEST(TrainingGraph, AGivenMeanScalesTheLossAndEveryGradient) {
    Job job = small_job(R"({"causal": false})");
    job.train.objective = TrainingObjective::kMasked;
    Fixture own(job), checked(job);
    check_gradients(checked);
    job.train.grad_accum = 2;  // the gradient of half of the loss
    Fixture given(job);
    const ValueId mean_over = given.training().mean_over;
    ASSERT_NE(mean_over, kNoValue);
    EXPECT_EQ(own.training().mean_over, kNoValue);
    given.write(mean_over, {33.0});
    const double valid = 11;  // of 12 targets
    EXPECT_NEAR(given.step_loss() * 33.0, own.step_loss() * valid, 1e-11);
    EXPECT_NEAR(given.loss(), own.loss(), 1e-14);  // the evaluation's own mean
    for (size_t p = 0; p < own.training().parameters.size(); ++p) {
        const auto expected = own.read(own.training().parameters[p].gradient);
        const auto actual = given.read(given.training().parameters[p].gradient);
        for (size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(actual[i], expected[i] * valid / 66.0, 1e-13);
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ModelGradient, testing::ValuesIn(architectures_to_test()),
                         [](const auto& architecture) { return architecture.param.name; });
INSTANTIATE_TEST_SUITE_P(OfExperts, ModelGradient,
                         testing::ValuesIn(expert_architectures_to_test()),
                         [](const auto& architecture) { return architecture.param.name; });

TEST(TrainingGraph, DroppedTokensHaveNoGradient) {
    for (const char* keys : {R"({"mlp_experts": 4, "mlp_capacity": 0.6, "mlp_z": 0.1})",
                             R"({"mlp_experts": 4, "mlp_top_k": 1, "mlp_capacity": 0.5})"}) {
        Fixture fixture(small_job(keys));
        check_gradients(fixture);
    }
}

TEST(TrainingGraph, EveryParameterThatIsReadHasAGradient) {
    // Layers that own no keys store the gain of their norm, as the checkpoint's table says.
    const TrainingGraph training =
        build_training_graph(small_job(R"({"arch": "yoco", "qk_norm": true})"));
    for (const GraphParameter& parameter : training.parameters) {
        const bool unread = parameter.spec.name == "h.2.attn.k_norm.weight" ||
                            parameter.spec.name == "h.3.attn.k_norm.weight";
        EXPECT_EQ(parameter.gradient == kNoValue, unread) << parameter.spec.name;
    }
}

TEST(TrainingGraph, GradientsOfMicroBatchesAddUp) {
    Job job = tiny_job();
    job.train.grad_accum = 2;
    Fixture twice(job);
    twice.step_loss({0, 1, 0, 0});
    twice.step_loss({0, 1, 1, 0});
    Fixture once(tiny_job());
    once.step_loss();
    for (size_t p = 0; p < once.training().parameters.size(); ++p) {
        const auto expected = once.read(once.training().parameters[p].gradient);
        const auto actual = twice.read(twice.training().parameters[p].gradient);
        for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-14);
    }
}

TEST(TrainingGraph, OneAdamWStepFollowsTheFormula) {
    const Job job = tiny_job();
    Fixture fixture(job);
    fixture.step_loss();
    const GraphParameter& up = fixture.training().parameters[7];
    const auto before = fixture.read(up.value), gradient = fixture.read(up.gradient);
    const double lr = 0.01;
    fixture.executor().run(Phase::kUpdate, {0, 1, 0, lr});
    const double norm = fixture.read(fixture.training().grad_norm)[0];
    double sum = 0;
    for (const GraphParameter& p : fixture.training().parameters)
        for (const double g : fixture.read(p.gradient)) sum += g * g;
    EXPECT_NEAR(norm, std::sqrt(sum), 1e-12);
    const double clip = std::min(1.0, job.train.grad_clip / (norm + 1e-6));
    const double decay = up.spec.shape.size() == 2 ? job.train.weight_decay : 0.0;
    const auto after = fixture.read(up.value);
    for (size_t i = 0; i < before.size(); ++i) {
        const double g = gradient[i] * clip;  // after one step both corrected moments are g, g^2
        const double expected = before[i] * (1 - lr * decay) - lr * g / (std::abs(g) + 1e-8);
        EXPECT_NEAR(after[i], expected, 1e-10);
    }
}

/// Which tensors one update of AdamW takes weight decay from: the others follow the gradient alone.
std::set<std::string> decaying(DecayGroups groups, const std::string& keys) {
    Job job = small_job(keys);
    job.train.decay_groups = groups;
    Fixture fixture(job);
    fixture.step_loss();
    const auto& parameters = fixture.training().parameters;
    std::vector<std::vector<double>> before;
    for (const GraphParameter& p : parameters) before.push_back(fixture.read(p.value));
    const double lr = 0.01;
    fixture.executor().run(Phase::kUpdate, {0, 1, 0, lr});
    const double norm = fixture.read(fixture.training().grad_norm)[0];
    const double clip = std::min(1.0, job.train.grad_clip / (norm + 1e-6));
    std::set<std::string> names;
    for (size_t p = 0; p < parameters.size(); ++p) {
        const size_t i = before[p].size() - 1;  // the first number of a bias is 0
        const double g = fixture.read(parameters[p].gradient)[i] * clip;
        const double moved = lr * g / (std::abs(g) + 1e-8), w = before[p][i];
        const double after = fixture.read(parameters[p].value)[i];
        const double decayed = w * (1 - lr * job.train.weight_decay) - moved;
        if (std::abs(after - decayed) < 1e-10)
            names.insert(parameters[p].spec.name);
        else
            EXPECT_NEAR(after, w - moved, 1e-10) << parameters[p].spec.name;
    }
    return names;
}

TEST(TrainingGraph, TheTensorsThatDecayFollowTheGroups) {
    const std::string tied = R"({"n_layer": 1, "bias": true})";
    const std::set<std::string> matrices{"h.0.attn.q.weight", "h.0.attn.k.weight",
                                         "h.0.attn.v.weight", "h.0.attn.o.weight",
                                         "h.0.mlp.up.weight", "h.0.mlp.down.weight"};
    std::set<std::string> with_embeddings = matrices;
    with_embeddings.insert({"wte.weight", "wpe.weight"});
    EXPECT_EQ(decaying(DecayGroups::kMatrices, tied), with_embeddings);
    EXPECT_EQ(decaying(DecayGroups::kNoEmbeddings, tied), matrices);
    EXPECT_EQ(decaying(DecayGroups::kAll, tied).size(),
              parameter_specs(small_job(tied).model).size());
    const std::string untied = R"({"n_layer": 1, "tie": false})";
    std::set<std::string> with_head = matrices;
    with_head.insert("lm_head.weight");
    EXPECT_EQ(decaying(DecayGroups::kNoEmbeddings, untied), with_head);
    // The matrices of hyper-connections have two dimensions; vectors of theirs have one.
    const std::set<std::string> mixed =
        decaying(DecayGroups::kMatrices, R"({"n_layer": 1, "hyper": "hc"})");
    const auto ends_in = [&](const std::string& end) {
        return std::count_if(mixed.begin(), mixed.end(),
                             [&](const std::string& name) { return name.ends_with(end); });
    };
    EXPECT_EQ(ends_in(".r"), 2);
    EXPECT_EQ(ends_in(".a") + ends_in(".b"), 0);
    // Learned shares of first-layer values never do (semantics 6.5).
    for (const std::string& name : decaying(
             DecayGroups::kAll, R"({"n_layer": 2, "arch": "resformer", "res_lambda": "learned"})"))
        EXPECT_FALSE(name.ends_with("lambda")) << name;
}

}  // namespace
}  // namespace headroom
