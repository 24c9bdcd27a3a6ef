#include "core/autodiff/differentiate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/ops/attention.h"
#include "tests/core/autodiff/gradient_check.h"
#include "tests/core/graph/random_graph.h"

namespace headroom {
namespace {

class Differentiate : public testing::Test {
  protected:
    ValueId input(const std::string& name, Role role = Role::kInput) {
        const ValueId id = graph_.add_value(name, {DType::kF64, {3, 4}}, role);
        inputs_.push_back(id);
        return id;
    }
    ValueId weight(const std::string& name) {
        const ValueId id = graph_.add_value(name, {DType::kF64, {4, 4}}, Role::kParameter);
        inputs_.push_back(id);
        return id;
    }
    ValueId apply(OpPtr op, std::vector<ValueId> in) {
        return graph_.apply1(Phase::kForward, std::move(op), std::move(in),
                             fmt::format("v{}", count_++));
    }
    ValueId add(ValueId a, ValueId b) { return apply(std::make_shared<Add>(), {a, b}); }
    ValueId gelu(ValueId x) {
        return apply(std::make_shared<Activation>(ActivationKind::kGelu), {x});
    }
    ValueId linear(ValueId x, ValueId w) { return apply(std::make_shared<Linear>(), {x, w}); }

    Graph graph_;
    std::vector<ValueId> inputs_;
    int count_ = 0;
};

TEST_F(Differentiate, ValueAddedToItself) {
    const ValueId x = input("x");
    expect_right_gradients(graph_, inputs_, add(x, x));
}

TEST_F(Differentiate, ValueAddedToItselfTwiceOver) {
    const ValueId h = gelu(input("x"));
    const ValueId twice = add(h, h);
    expect_right_gradients(graph_, inputs_, add(twice, add(twice, h)));
}

TEST_F(Differentiate, ResidualBranches) {
    const ValueId x = input("x"), w = weight("w"), u = weight("u");
    const ValueId mid = add(x, linear(gelu(x), w));
    expect_right_gradients(graph_, inputs_, add(mid, linear(gelu(mid), u)));
}

TEST_F(Differentiate, SharedGradientIsNotSpoiltByOneOfItsOwners) {
    // The gradient of s is that of a and of b; a collects more, b must not see it.
    const ValueId a = gelu(input("x")), b = gelu(input("y"));
    const ValueId s = add(a, b);
    expect_right_gradients(graph_, inputs_, add(s, linear(a, weight("w"))));
}

TEST_F(Differentiate, SumOfTheInputsThemselves) {
    expect_right_gradients(graph_, inputs_, add(input("x"), input("y")));
}

TEST_F(Differentiate, WeightUsedTwice) {
    const ValueId x = input("x"), w = weight("w");
    expect_right_gradients(graph_, inputs_, linear(gelu(linear(x, w)), w));
}

TEST_F(Differentiate, OperatorThatReadsOneValueTwice) {
    const ValueId h = gelu(input("x"));
    expect_right_gradients(graph_, inputs_,
                           apply(std::make_shared<GatedActivation>(ActivationKind::kSilu), {h, h}));
}

TEST_F(Differentiate, AttentionWhoseQueriesAreItsKeys) {
    const ValueId u = graph_.add_value("u", {DType::kF64, {1, 5, 4}}, Role::kInput);
    AttentionOptions o;
    o.n_head = o.n_kv_head = 2;
    o.d_head = 2;
    o.key_heads = {{1, 0}, {1, 1}};
    o.value_heads = {{1, 1}, {1, 0}};
    const ValueId out =
        graph_.apply(Phase::kForward, std::make_shared<Attention>(o), {u, u}, {"out", "lse"})[0];
    expect_right_gradients(graph_, {u}, out);
}

TEST_F(Differentiate, RandomGraphs) {
    for (uint32_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        RandomGraph random(seed);
        expect_right_gradients(random.graph, random.inputs, random.output);
    }
}

TEST_F(Differentiate, ValueWithoutInfluenceHasNoGradient) {
    const ValueId x = input("x"), unused = input("unused");
    const ValueId y = gelu(x);
    const ValueId seed = graph_.add_value("seed", graph_.value(y).type, Role::kInput);
    const auto gradients = differentiate(graph_, {{y, seed}}, {x, unused});
    EXPECT_TRUE(gradients.contains(x));
    EXPECT_FALSE(gradients.contains(unused));
}

TEST_F(Differentiate, OnlyWhatIsWantedIsComputed) {
    const ValueId x = input("x"), w = weight("w");
    const ValueId y = linear(gelu(x), w);
    const ValueId seed = graph_.add_value("seed", graph_.value(y).type, Role::kInput);
    differentiate(graph_, {{y, seed}});
    for (const Node& node : graph_.nodes())
        EXPECT_TRUE(node.phase == Phase::kForward || node.op->name() == "linear_backward_weight")
            << node.op->name() << " computes a gradient that nobody wants";
}

TEST_F(Differentiate, ParameterGradientsAddUpOverMicroBatches) {
    const ValueId x = input("x"), w = weight("w");
    const ValueId y = linear(x, w);
    const ValueId seed = graph_.add_value("seed", graph_.value(y).type, Role::kInput);
    const ValueId dw = differentiate(graph_, {{y, seed}}).at(w);
    EXPECT_EQ(graph_.value(dw).role, Role::kGradient);
    const auto executor = make_cpu_device()->prepare(graph_);
    Values values(*executor);
    values.write(x, std::vector<double>(12, 1.0));
    values.write(seed, std::vector<double>(12, 1.0));
    for (const int64_t micro : {0, 1, 2}) {
        executor->run(Phase::kBackward, {.micro = micro});
        EXPECT_EQ(values.read(dw), std::vector<double>(16, 3.0 * static_cast<double>(micro + 1)));
    }
    executor->run(Phase::kBackward, {.micro = 0});
    EXPECT_EQ(values.read(dw), std::vector<double>(16, 3.0));
}

TEST_F(Differentiate, SeveralOutputsAddUp) {
    const ValueId x = input("x");
    const ValueId a = gelu(x), b = add(x, a);
    const ValueId sa = graph_.add_value("sa", graph_.value(a).type, Role::kInput);
    const ValueId sb = graph_.add_value("sb", graph_.value(b).type, Role::kInput);
    const ValueId dx = differentiate(graph_, {{a, sa}, {b, sb}}, {x}).at(x);
    const auto executor = make_cpu_device()->prepare(graph_);
    Values values(*executor);
    values.write(x, std::vector<double>(12, 0.0));  // gelu'(0) = 1/2
    values.write(sa, std::vector<double>(12, 10.0));
    values.write(sb, std::vector<double>(12, 1.0));
    executor->run(Phase::kForward, {});
    executor->run(Phase::kBackward, {});
    for (const double slope : values.read(dx)) EXPECT_DOUBLE_EQ(slope, 1.0 + 0.5 * 11.0);
}

}  // namespace
}  // namespace headroom
