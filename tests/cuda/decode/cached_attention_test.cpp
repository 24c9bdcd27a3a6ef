// Attention over caches that several blocks share, against the CPU's specification.
#include "core/ops/cached_attention.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/op_cases/op_case_run.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

struct Shapes {
    std::string name;
    int64_t n_head, n_kv_head, d_head, capacity, rows, position, tokens;
};

/// Prints the case in GoogleTest's messages.
void PrintTo(const Shapes& s, std::ostream* out) {
    *out << s.name;
}

CachedAttentionOptions options_of(const Shapes& s) {
    CachedAttentionOptions o;
    o.n_head = s.n_head;
    o.n_kv_head = s.n_kv_head;
    o.query_width = o.out_width = s.d_head;
    o.scale = 1 / std::sqrt(static_cast<double>(s.d_head));
    o.n_cache = 2;
    for (int64_t g = 0; g < s.n_kv_head; ++g) {
        o.keys.push_back({{0, g, 0, s.d_head, 0}});
        o.values.push_back({{1, g, 0, s.d_head, 0}});
    }
    return o;
}

/// Keys and values out of one latent, behind which a rotary part stands.
CachedAttentionOptions latent_of(const Shapes& s) {
    CachedAttentionOptions o = options_of(s);
    const int64_t own = s.d_head / 2;
    o.out_width = own;
    o.values = {{{0, 0, 0, own, 0}}};
    o.keys = {{{0, 0, 0, own, 0}, {1, 0, 0, s.d_head - own, own}}};
    return o;
}

/// Values that two layers make together, weighted with a learned number.
CachedAttentionOptions mixed_of(const Shapes& s) {
    CachedAttentionOptions o = options_of(s);
    o.has_lambda = true;
    for (int64_t g = 0; g < s.n_kv_head; ++g) {
        auto& segments = o.values[static_cast<size_t>(g)];
        segments[0].constant = 0.25, segments[0].slope = 0.5;
        segments.push_back({0, g, 0, s.d_head, 0, 0.75, -0.5});
    }
    return o;
}

/// Values that two layers make together, not weighted.
CachedAttentionOptions sum_of(const Shapes& s) {
    CachedAttentionOptions o = options_of(s);
    for (int64_t g = 0; g < s.n_kv_head; ++g)
        o.values[static_cast<size_t>(g)].push_back({0, g, 0, s.d_head, 0});
    return o;
}

/// What nobody may read: positions of a cache behind the context, rows without a token.
void spoil(std::vector<double>& numbers, const Shape& shape, int64_t from) {
    const int64_t rows = shape[shape.size() - 2], columns = shape.back();
    for (size_t i = 0; i < numbers.size(); ++i)
        if (static_cast<int64_t>(i) / columns % rows >= from) numbers[i] = NAN;
}

std::vector<double> attend(const Shapes& s, const CachedAttentionOptions& o, DType dtype,
                           Device& device) {
    const int64_t batch = 2;
    Graph graph;
    const TensorType cache{dtype, {batch, s.n_kv_head, s.capacity, s.d_head}};
    std::vector<ValueId> in{
        graph.add_value("q", {dtype, {batch, s.rows, s.n_head * s.d_head}}, Role::kInput),
        graph.add_value("k", cache, Role::kInput), graph.add_value("v", cache, Role::kInput)};
    if (o.has_lambda)
        in.push_back(graph.add_value("lambda", {accumulator_of(dtype), {1}}, Role::kInput));
    const ValueId out =
        graph.apply1(Phase::kForward, std::make_shared<CachedAttention>(o), in, "out");
    graph.keep(out);
    const auto executor = device.prepare(graph);
    const int64_t tokens = s.tokens < 0 ? s.rows : s.tokens;
    for (size_t i = 0; i < in.size(); ++i) {
        CaseInput normal;
        normal.type = graph.value(in[i]).type;
        std::vector<std::byte> bytes(static_cast<size_t>(normal.type.bytes()));
        std::vector<double> numbers = case_numbers(normal, 10 + i);
        if (i < 3) spoil(numbers, normal.type.shape, i == 0 ? tokens : s.position + tokens);
        from_doubles(numbers, {bytes.data(), normal.type});
        executor->write(in[i], bytes);
    }
    StepContext step;
    step.position = s.position;
    step.rows = s.tokens;
    executor->run(Phase::kForward, step);
    const TensorType& type = graph.value(out).type;
    std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
    executor->read(out, bytes);
    return to_doubles({bytes.data(), type});
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

class CudaCachedAttention : public testing::TestWithParam<Shapes> {
  protected:
    void compare(const CachedAttentionOptions& o) {
        const auto cpu = make_cpu_device();
        std::string why_not;
        const auto device = tested_cuda_device(why_not);
        if (!device) GTEST_SKIP() << why_not;
        for (const auto& [dtype, tolerance] :
             {std::pair{DType::kF64, 1e-12}, {DType::kF32, 3e-6}, {DType::kBF16, 8e-3}}) {
            SCOPED_TRACE(name_of(dtype));
            expect_near(attend(GetParam(), o, dtype, *device), attend(GetParam(), o, dtype, *cpu),
                        tolerance);
        }
    }
};

TEST_P(CudaCachedAttention, ComputesWhatTheCpuComputes) {
    compare(options_of(GetParam()));
}

// n_head, n_kv_head, d_head, capacity, rows, position, tokens (-1: as many as rows)
INSTANTIATE_TEST_SUITE_P(
    Contexts, CudaCachedAttention,
    testing::Values(Shapes{"OneTokenAtTheEnd", 2, 2, 64, 330, 1, 329, -1},
                    Shapes{"OneTokenEarly", 2, 2, 64, 330, 1, 70, -1},
                    Shapes{"TheFirstToken", 2, 2, 64, 330, 1, 0, -1},
                    Shapes{"AtTheEndOfAPiece", 2, 2, 16, 700, 1, 127, -1},
                    Shapes{"GroupedHeads", 6, 2, 32, 300, 1, 233, -1},
                    Shapes{"EightQueriesOfAHead", 16, 2, 128, 200, 1, 190, -1},
                    Shapes{"TwoRowsOfOneHead", 2, 1, 64, 200, 3, 130, 2},
                    Shapes{"ManyQueriesOfOneHead", 20, 1, 80, 400, 1, 390, -1},
                    Shapes{"HeadsOf62", 3, 3, 62, 300, 1, 299, -1},
                    Shapes{"WideHeads", 3, 1, 576, 130, 1, 129, -1},
                    Shapes{"APromptInTheMiddle", 4, 2, 24, 300, 37, 200, 37},
                    Shapes{"APromptThatEndsEarly", 4, 2, 24, 300, 37, 200, 11},
                    Shapes{"APromptFromTheStart", 2, 2, 16, 100, 70, 0, -1},
                    Shapes{"APromptOfSeveralTiles", 1, 1, 64, 400, 150, 200, 141},
                    Shapes{"APromptOfGroupedHeads", 6, 2, 32, 260, 50, 201, 43},
                    Shapes{"APromptInOnePiece", 3, 1, 40, 64, 30, 30, -1},
                    Shapes{"APromptOfHeadsOf80", 2, 2, 80, 130, 20, 64, -1},
                    Shapes{"APromptOfHeadsOf96", 2, 1, 96, 130, 20, 65, -1},
                    Shapes{"APromptOfHeadsOf128", 1, 1, 128, 130, 40, 63, 33},
                    Shapes{"APromptOfOddHeads", 2, 2, 30, 130, 20, 40, -1}),
    [](const auto& tested) { return tested.param.name; });

class CudaCachedAttentionTwice : public testing::TestWithParam<Shapes> {};

TEST_P(CudaCachedAttentionTwice, GivesTheSameBits) {
    std::string why_not;
    const auto device = tested_cuda_device(why_not);
    if (!device) GTEST_SKIP() << why_not;
    const CachedAttentionOptions o = options_of(GetParam());
    const auto all = [&] {
        return std::pair{attend(GetParam(), o, DType::kF32, *device),
                         attend(GetParam(), o, DType::kBF16, *device)};
    };
    const auto once = all();
    const WithRowThreads in_another_order(RowThreads::kAll, 7);
    const auto again = all();
    for (size_t i = 0; i < once.first.size(); ++i) {
        EXPECT_EQ(again.first[i], once.first[i]) << i;
        EXPECT_EQ(again.second[i], once.second[i]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Contexts, CudaCachedAttentionTwice,
                         testing::Values(Shapes{"OneToken", 3, 1, 64, 300, 1, 290, -1},
                                         Shapes{"APrompt", 2, 2, 24, 200, 9, 150, 7},
                                         Shapes{"ALongPrompt", 2, 1, 24, 200, 20, 150, 17}),
                         [](const auto& tested) { return tested.param.name; });

class CudaLatentAttention : public CudaCachedAttention {};

TEST_P(CudaLatentAttention, ReadsWhatIsKeyAndValue) {
    compare(latent_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Contexts, CudaLatentAttention,
                         testing::Values(Shapes{"OneToken", 20, 1, 80, 400, 1, 390, -1},
                                         Shapes{"FewQueries", 4, 1, 96, 300, 1, 280, -1},
                                         Shapes{"OddWidths", 3, 1, 34, 200, 1, 199, -1},
                                         Shapes{"APrompt", 4, 1, 48, 200, 37, 100, 30},
                                         Shapes{"AWidePrompt", 2, 1, 160, 140, 20, 100, 19}),
                         [](const auto& tested) { return tested.param.name; });

class CudaSummedAttention : public CudaCachedAttention {};

TEST_P(CudaSummedAttention, AddsWhatTwoCachesHold) {
    compare(sum_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Contexts, CudaSummedAttention,
                         testing::Values(Shapes{"APrompt", 2, 2, 32, 100, 20, 70, -1}),
                         [](const auto& tested) { return tested.param.name; });

class CudaMixedAttention : public CudaCachedAttention {};

TEST_P(CudaMixedAttention, WeighsWhatTwoCachesHold) {
    compare(mixed_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Contexts, CudaMixedAttention,
                         testing::Values(Shapes{"OneToken", 2, 2, 64, 200, 1, 150, -1},
                                         Shapes{"GroupedHeads", 4, 2, 48, 100, 1, 90, -1},
                                         Shapes{"OddWidths", 2, 2, 30, 100, 1, 99, -1},
                                         Shapes{"APrompt", 2, 2, 32, 100, 20, 70, -1}),
                         [](const auto& tested) { return tested.param.name; });

TEST(CudaPrefill, TakesInMoreOfFewPromptsThanOfMany) {
    std::string why_not;
    const auto device = tested_cuda_device(why_not);
    if (!device) GTEST_SKIP() << why_not;
    EXPECT_EQ(device->prefill_chunk(1), 1024);
    EXPECT_EQ(device->prefill_chunk(32), 512);
    EXPECT_EQ(device->prefill_chunk(4096), 256);
}

}  // namespace
}  // namespace headroom
