#include "core/graph/plan.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/device/device.h"
#include "core/ops/cast.h"
#include "tests/core/graph/random_graph.h"

namespace headroom {
namespace {

/// Runs a plan on paper: who wrote each 64-byte line of the arena last?
class PaperRun {
  public:
    PaperRun(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {
        for (size_t v = 0; v < graph.values().size(); ++v)
            if (is_persistent(graph.values()[v].role)) own(static_cast<ValueId>(v));
    }

    void run() {
        for (const Node& node : graph_.nodes()) {
            for (const ValueId in : node.inputs) expect_intact(node, in);
            for (size_t o = 0; o < node.outputs.size(); ++o) {
                if (node.writes[o] == Write::kAccumulate) expect_intact(node, node.outputs[o]);
                for (size_t i = 0; i < node.inputs.size(); ++i) expect_apart(node, i, o);
                for (size_t other = 0; other < o; ++other)
                    EXPECT_FALSE(overlap(node.outputs[o], node.outputs[other]))
                        << node.name << ": two outputs in one place";
            }
            for (const ValueId out : node.outputs) own(out);
        }
        for (size_t v = 0; v < graph_.values().size(); ++v)
            if (is_persistent(graph_.values()[v].role)) {
                EXPECT_TRUE(intact(static_cast<ValueId>(v))) << graph_.values()[v].name;
            }
    }

  private:
    const Plan::Placement& at(ValueId id) const { return plan_.values[static_cast<size_t>(id)]; }

    void own(ValueId id) {
        ASSERT_GE(at(id).offset, 0) << graph_.value(id).name << " has no memory";
        ASSERT_EQ(at(id).offset % kArenaAlignment, 0);
        ASSERT_LE(at(id).offset + at(id).bytes, plan_.workspace_offset);
        for (int64_t line = 0; line * 64 < at(id).bytes; ++line)
            owner_[at(id).offset / 64 + line] = id;
    }
    bool intact(ValueId id) {
        for (int64_t line = 0; line * 64 < at(id).bytes; ++line)
            if (owner_[at(id).offset / 64 + line] != id) return false;
        return true;
    }
    void expect_intact(const Node& node, ValueId id) {
        EXPECT_TRUE(intact(id)) << node.name << " reads " << graph_.value(id).name
                                << ", which was overwritten";
    }
    bool overlap(ValueId a, ValueId b) const {
        return a != b && at(a).offset < at(b).offset + at(b).bytes &&
               at(b).offset < at(a).offset + at(a).bytes;
    }
    void expect_apart(const Node& node, size_t i, size_t o) const {
        const ValueId in = node.inputs[i], out = node.outputs[o];
        if (!overlap(in, out)) return;
        EXPECT_TRUE(node.op->may_overwrite(static_cast<int>(i), static_cast<int>(o)))
            << node.op->name() << " may not write over its input " << i;
        EXPECT_EQ(at(in).offset, at(out).offset) << node.name;
    }

    const Graph& graph_;
    const Plan& plan_;
    std::map<int64_t, ValueId> owner_;
};

int64_t aligned(int64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

void expect_sound(const Graph& graph) {
    const Plan plan = plan_memory(graph, 2);
    PaperRun(graph, plan).run();
    const MemoryLedger& l = plan.ledger;
    EXPECT_EQ(l.total, l.weights + l.gradients + l.optimizer + l.inputs_and_results +
                           l.activations + l.workspace);
    const auto executor = make_cpu_device()->prepare(graph);
    EXPECT_EQ(executor->allocated_bytes(), executor->plan().ledger.total);
}

TEST(Plan, NothingThatIsStillNeededIsOverwrittenInRandomGraphs) {
    for (uint32_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        RandomGraph random(seed, 5 + static_cast<int>(seed % 30));
        Graph& graph = random.graph;
        expect_sound(graph);
        const ValueId gradient =
            graph.add_value("seed", graph.value(random.output).type, Role::kInput);
        differentiate(graph, {{random.output, gradient}}, {random.inputs[0]});
        expect_sound(graph);
    }
}

TEST(Plan, ElementwiseChainStaysInOnePlace) {
    Graph graph;
    ValueId x = graph.add_value("x", {DType::kF32, {10, 10}}, Role::kInput);
    for (int n = 0; n < 5; ++n)
        x = graph.apply1(Phase::kForward, std::make_shared<Activation>(ActivationKind::kRelu), {x},
                         fmt::format("v{}", n));
    EXPECT_EQ(plan_memory(graph, 1).ledger.activations, aligned(400));
}

TEST(Plan, InputThatIsReadAgainIsNotOverwritten) {
    Graph graph;
    const ValueId x = graph.add_value("x", {DType::kF32, {10, 10}}, Role::kInput);
    const auto relu = std::make_shared<Activation>(ActivationKind::kRelu);
    const ValueId a = graph.apply1(Phase::kForward, relu, {x}, "a");
    const ValueId b = graph.apply1(Phase::kForward, relu, {a}, "b");
    graph.apply1(Phase::kForward, std::make_shared<Add>(), {a, b}, "c");
    EXPECT_EQ(plan_memory(graph, 1).ledger.activations, 2 * aligned(400));
    expect_sound(graph);
}

TEST(Plan, OutputsThatNobodyReadsHavePlacesOfTheirOwn) {
    Graph graph;
    const TensorType type{DType::kF64, {3, 4}};
    const ValueId x = graph.add_value("x", type, Role::kInput);
    const auto relu = std::make_shared<Activation>(ActivationKind::kRelu);
    const ValueId gate = graph.apply1(Phase::kForward, relu, {x}, "gate");
    const ValueId up = graph.apply1(Phase::kForward, relu, {x}, "up");
    const ValueId dy = graph.apply1(Phase::kForward, relu, {x}, "dy");
    // dgate is never read, so it is dead at once; dup must not be put on top of it.
    const auto both =
        graph.apply(Phase::kForward,
                    std::make_shared<GatedActivationBackward>(ActivationKind::kSilu, true, true),
                    {gate, up, dy}, {"dgate", "dup"});
    graph.apply1(Phase::kForward, relu, {both[1]}, "reader", Role::kResult);
    expect_sound(graph);
}

TEST(Plan, EvaluationReusesTheActivationsOfTraining) {
    const auto build = [](bool train, bool evaluate) {
        Graph graph;
        const ValueId x = graph.add_value("x", {DType::kF32, {64, 64}}, Role::kInput);
        const ValueId w = graph.add_value("w", {DType::kF32, {64, 64}}, Role::kParameter);
        const auto linear = std::make_shared<Linear>();
        for (const Phase phase : {Phase::kForward, Phase::kEvaluate}) {
            if (phase == Phase::kForward ? !train : !evaluate) continue;
            const char* name = phase == Phase::kForward ? "t" : "e";
            const ValueId h = graph.apply1(phase, linear, {x, w}, fmt::format("{}1", name));
            graph.apply1(phase, linear, {h, w}, fmt::format("{}2", name));
        }
        return plan_memory(graph, 1).ledger;
    };
    EXPECT_EQ(build(true, true).activations, build(true, false).activations);
    EXPECT_EQ(build(true, true).activations, build(false, true).activations);
    EXPECT_GT(build(true, false).activations, 0);
}

TEST(Plan, CountsEveryValueUnderItsHeading) {
    Graph graph;
    const TensorType type{DType::kF32, {100}};
    graph.add_value("w", type, Role::kParameter);
    graph.add_value("copy", {DType::kBF16, {100}}, Role::kWorkingCopy);
    graph.add_value("g", type, Role::kGradient);
    graph.add_value("m", type, Role::kOptimizer);
    graph.add_value("x", type, Role::kInput);
    const MemoryLedger ledger = plan_memory(graph, 1).ledger;
    EXPECT_EQ(ledger.weights, aligned(400) + aligned(200));
    EXPECT_EQ(ledger.gradients, aligned(400));
    EXPECT_EQ(ledger.optimizer, aligned(400));
    EXPECT_EQ(ledger.inputs_and_results, aligned(400));
    EXPECT_EQ(ledger.activations, 0);
    EXPECT_EQ(ledger.workspace, 0);
}

}  // namespace
}  // namespace headroom
