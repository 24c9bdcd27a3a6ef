#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "core/op_cases/op_case_run.h"
#include "core/ops/cached_attention.h"

// What must hold for every operator, over the one list of cases.

namespace headroom {
namespace {

using testing::HasSubstr;

/// |actual - expected| <= tolerance (|expected| + rms(expected)), element by element.
void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                  double tolerance, const std::string& what) {
    ASSERT_EQ(actual.size(), expected.size()) << what;
    double squares = 0;
    for (const double x : expected) squares += x * x;
    const double rms =
        std::sqrt(squares / static_cast<double>(std::max<size_t>(1, expected.size())));
    for (size_t i = 0; i < actual.size(); ++i) {
        const double allowed = tolerance * (std::abs(expected[i]) + rms);
        ASSERT_TRUE(std::abs(actual[i] - expected[i]) <= allowed)
            << what << " element " << i << ": " << actual[i] << " instead of " << expected[i];
    }
}

std::string describe(const OpCase& op_case, const Node& node, size_t output) {
    return op_case.name + " / " + std::string(node.op->name()) + " output " +
           std::to_string(output);
}

/// Runs every node of `fast_case` and compares it with the reference kernel of the same node of
/// `reference_case` (which may store in a wider type) on the same inputs.
void compare_with_reference(const OpCase& fast_case, const OpCase& reference_case,
                            double tolerance) {
    CaseRun fast(fast_case), reference(reference_case);
    ASSERT_EQ(fast.node_count(), reference.node_count());
    for (size_t n = 0; n < fast.node_count(); ++n) {
        const Node &node = fast.node(n), &twin = reference.node(n);
        for (size_t i = 0; i < node.inputs.size(); ++i)
            from_doubles(to_doubles(fast.tensor(node.inputs[i])), reference.tensor(twin.inputs[i]));
        for (size_t o = 0; o < node.outputs.size(); ++o)
            if (node.writes[o] == Write::kAccumulate)
                from_doubles(to_doubles(fast.tensor(node.outputs[o])),
                             reference.tensor(twin.outputs[o]));
        fast.run_node(n, Kernels::kFast);
        reference.run_node(n, Kernels::kReference);
        for (size_t o = 0; o < node.outputs.size(); ++o)
            expect_close(to_doubles(fast.tensor(node.outputs[o])),
                         to_doubles(reference.tensor(twin.outputs[o])), tolerance,
                         describe(fast_case, node, o));
    }
}

class EveryOp : public testing::TestWithParam<size_t> {
  protected:
    static OpCase get(DType dtype) { return op_cases(dtype, CaseSize::kSmall)[GetParam()]; }
};

TEST_P(EveryOp, FastKernelMatchesReferenceInFloat) {
    const OpCase c = get(DType::kF32);
    compare_with_reference(c, c, c.tolerance_f32);
}

TEST_P(EveryOp, FastKernelMatchesReferenceInDouble) {
    const OpCase c = get(DType::kF64);
    compare_with_reference(c, c, 1e-11);  // sums in another order
}

TEST_P(EveryOp, FastKernelMatchesReferenceInBfloat16) {
    const OpCase c = get(DType::kBF16);
    compare_with_reference(c, get(DType::kF32), c.tolerance_bf16);
}

TEST_P(EveryOp, AddsToItsOutputsWhenTold) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16}) {
        const OpCase c = get(dtype);
        if (c.updates) return;  // updates in place, which the comparison of kernels covers
        const double tolerance = dtype == DType::kBF16 ? 2e-2 : 1e-5;
        for (const Kernels kernels : {Kernels::kFast, Kernels::kReference}) {
            if (kernels == Kernels::kReference && dtype == DType::kBF16) continue;  // has none
            CaseRun run(c);
            for (size_t n = 0; n < run.node_count(); ++n) {
                run.run_node(n, kernels);
                const Node& node = run.node(n);
                std::vector<std::vector<double>> expected;
                for (const ValueId id : node.outputs) {
                    expected.push_back(to_doubles(run.tensor(id)));
                    CaseInput before;
                    before.type = run.tensor(id).type;
                    std::vector<double> numbers = case_numbers(before, 99);
                    from_doubles(numbers, run.tensor(id));
                    numbers = to_doubles(run.tensor(id));
                    for (size_t i = 0; i < numbers.size(); ++i) expected.back()[i] += numbers[i];
                }
                run.run_node(n, kernels, true);
                for (size_t o = 0; o < node.outputs.size(); ++o)
                    expect_close(to_doubles(run.tensor(node.outputs[o])), expected[o], tolerance,
                                 describe(c, node, o));
                run.run_node(n, kernels);  // the next node reads these
            }
        }
    }
}

TEST_P(EveryOp, GivesTheSameBitsForAnyNumberOfThreads) {
    const int threads = omp_get_max_threads();
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16}) {
        const OpCase c = get(dtype);
        omp_set_num_threads(1);
        CaseRun one(c);
        one.run_all(Kernels::kFast);
        for (const int many : {2, 3}) {
            omp_set_num_threads(many);
            CaseRun other(c);
            other.run_all(Kernels::kFast);
            for (size_t v = 0; v < one.graph().graph.values().size(); ++v) {
                const Tensor a = one.tensor(static_cast<ValueId>(v));
                const Tensor b = other.tensor(static_cast<ValueId>(v));
                EXPECT_EQ(std::memcmp(a.data, b.data, static_cast<size_t>(a.type.bytes())), 0)
                    << c.name << " " << one.graph().graph.value(static_cast<ValueId>(v)).name
                    << " with " << many << " threads";
            }
        }
    }
    omp_set_num_threads(threads);
}

TEST_P(EveryOp, RefusesWrongInputsByName) {
    const OpCase c = get(DType::kF32);
    std::vector<TensorType> types;
    for (const CaseInput& input : c.inputs) types.push_back(input.type);
    EXPECT_THROW(c.op->infer({}), UserError);
    for (const OpCase::Refused& refused : c.refused) {
        std::vector<TensorType> wrong = types;
        wrong[refused.input] = refused.type;
        try {
            c.op->infer(wrong);
            ADD_FAILURE() << c.name << " took " << to_string(refused.type) << " as input "
                          << refused.input;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr(std::string(c.op->name())));
        }
    }
}

std::string case_title(const testing::TestParamInfo<size_t>& info) {
    // Made once: a process that runs one test names all of them first.
    static const std::vector<OpCase> cases = op_cases(DType::kF32, CaseSize::kSmall);
    std::string title;
    for (const char letter : cases[info.param].name)
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) title += letter;
    return title;
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryOp,
                         testing::Range(size_t{0}, op_cases(DType::kF32, CaseSize::kSmall).size()),
                         case_title);

/// Keys and values of two caches beside each other, as of a latent and its owner's, in parts that
/// are wider than a vector: of a prompt each part is a product of its own.
TEST(CachedAttentionOp, HeadsOfWidePartsAreThoseOfTheReference) {
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kBF16}) {
        CachedAttentionOptions o;
        o.n_head = 4;
        o.n_kv_head = o.n_cache = 2;
        o.query_width = o.out_width = 64;
        o.scale = 0.125;
        for (int64_t g = 0; g < 2; ++g) {
            o.keys.push_back({{0, g, 0, 24, 0}, {1, g, 0, 40, 24}});
            o.values.push_back({{1, g, 0, 40, 0}, {0, g, 16, 24, 40}});
        }
        OpCase wide;
        wide.name = "cached attention, wide parts";
        wide.op = std::make_shared<CachedAttention>(o);
        const auto add = [&](const char* name, Shape shape) {
            CaseInput input;
            input.name = name;
            input.type = {dtype, std::move(shape)};
            input.differentiate = false;
            wide.inputs.push_back(std::move(input));
        };
        add("q", {2, 9, 4 * 64});
        add("a", {2, 2, 13, 40});
        add("b", {2, 2, 13, 40});
        OpCase reference = wide;
        for (CaseInput& input : reference.inputs)
            if (dtype == DType::kBF16) input.type.dtype = DType::kF32;
        compare_with_reference(wide, reference, dtype == DType::kBF16 ? 1e-2 : 4e-6);
    }
}

}  // namespace
}  // namespace headroom
