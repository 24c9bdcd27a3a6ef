#include "core/op_cases/op_cases.h"

#include <fmt/format.h>

#include "core/data/batch.h"
#include "core/op_cases/op_case_list.h"
#include "core/ops/activation.h"
#include "core/ops/adamw.h"
#include "core/ops/add.h"
#include "core/ops/bias.h"
#include "core/ops/cast.h"
#include "core/ops/column_mix.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dropout.h"
#include "core/ops/dyt.h"
#include "core/ops/embedding.h"
#include "core/ops/hyper_weights.h"
#include "core/ops/linear.h"
#include "core/ops/linear_cross_entropy.h"
#include "core/ops/norm.h"
#include "core/ops/patches.h"
#include "core/ops/pool.h"
#include "core/ops/rotary.h"

namespace headroom {
namespace {

/// For elementwise operators: enough elements for several threads, and no multiple of a vector.
const Shape kSmallShape = {5, 51, 67};

void add_cast_cases(OpCaseList& c) {
    const Shape shape = c.small ? kSmallShape : c.stream();
    c.add("cast to the accumulator type", Cast(accumulator_of(c.dtype)), {c.normal("x", shape)});
    if (c.small)
        c.add("cast from the accumulator type", Cast(c.dtype), {c.table("x", shape, 0, 1)});
}

void add_add_cases(OpCaseList& c) {
    const Shape shape = c.small ? kSmallShape : c.stream();
    OpCase& add = c.add("add", Add(), {c.normal("a", shape), c.normal("b", shape)});
    add.refused = {{1, c.T({5, 51, 68})}, {1, {DType::kI32, shape}}};
}

void add_dropout_cases(OpCaseList& c) {
    const Shape shape = c.small ? kSmallShape : c.stream();
    c.add("dropout", Dropout(0.2, 3), {c.normal("x", shape)});
    if (c.small) c.add("dropout that keeps all", Dropout(0.0, 3), {c.normal("x", shape)});
}

/// One row of x, a tile, and two tiles with a row left over; several pieces of rows of w; parts of
/// a very long row of w.
void add_skinny_gemm_cases(OpCaseList& c) {
    const auto add = [&](const char* name, bool transposed, int64_t rows, int64_t in, int64_t out) {
        CaseInput x = c.normal("x", {rows, 1, in});
        CaseInput w = c.normal("w", transposed ? Shape{out, in} : Shape{in, out});
        x.differentiate = w.differentiate = false;
        c.add(name, Linear(transposed), {x, w});
    };
    for (const bool transposed : {false, true}) {
        add(transposed ? "linear of one row, transposed" : "linear of one row", transposed, 1, 277,
            331);
        add(transposed ? "linear of five rows, transposed" : "linear of five rows", transposed, 5,
            277, 331);
        add(transposed ? "linear of eleven rows, transposed" : "linear of eleven rows", transposed,
            11, 277, 331);
    }
    add("linear of one row to many columns", false, 1, 9, 8200);
}

void add_linear_cases(OpCaseList& c) {
    const Shape x = c.small ? Shape{2, 9, 5} : c.stream();
    const Shape w = c.small ? Shape{5, 7} : Shape{c.timed.d_model, c.timed.d_ff};
    CaseInput weight = c.normal("w", w);
    weight.weight = true;
    OpCase& linear = c.add("linear", Linear(), {c.normal("x", x), weight});
    linear.refused = {{0, c.T({2, 9, 6})}, {1, c.T({6, 7})}, {1, c.T({5, 7, 1})}};
    if (!c.small) {
        CaseInput head = c.normal("w", {c.timed.d_model, 8192});
        head.weight = true;
        c.add("linear of one row", Linear(), {c.normal("x", {1, 1, c.timed.d_model}), head});
        return;
    }
    CaseInput wide = c.normal("w", {11, 2 * 67});  // several groups of columns, rows left over
    wide.weight = true;
    c.add("linear of few rows", Linear(), {c.normal("x", {1, 3, 11}), wide});
    CaseInput head = c.normal("w", {71, 11}), row = c.normal("x", {2, 1, 11});
    head.differentiate = row.differentiate = false;
    c.add("linear of few rows, transposed", Linear(true), {row, head});
    add_skinny_gemm_cases(c);
}

/// The same loss, divided by another number than that of its targets.
void add_given_divisor(OpCaseList& c, const OpCase& loss) {
    CaseInput divisor = c.table("mean_over", {1}, 7.25, 0.0);
    divisor.type.dtype = DType::kF64;
    divisor.differentiate = false;
    OpCase given = loss;
    given.name += ", divided by a given number";
    given.inputs.push_back(divisor);
    given.refused.push_back({3, {DType::kF64, {2}}});
    c.list.push_back(std::move(given));
}

void add_classifier_cases(OpCaseList& c) {
    const Shape x = c.small ? Shape{2, 9, 5} : c.stream();
    const int64_t vocab_size = c.small ? 21 : c.timed.vocab_size;
    const int64_t first = c.small ? kIgnoredTarget : 0;  // some rows have no target
    const CaseInput targets = c.tokens({x[0], x[1]}, first, vocab_size);
    CaseInput weight = c.normal("w", {vocab_size, x[2]});
    weight.weight = true;
    for (const bool tied : {true, false}) {
        if (!tied) weight.type.shape = {x[2], vocab_size};
        for (const bool with_gradient : {true, false}) {
            OpCase& loss =
                c.add(fmt::format("classifier loss, {}{}", tied ? "tied" : "own head",
                                  with_gradient ? "" : ", without gradient"),
                      LinearCrossEntropy({tied, 0.5}), {c.normal("x", x), weight, targets});
            loss.is_loss = true;
            loss.loss_scale = 0.5;
            loss.refused = {{0, c.T({2, 9, 6})}, {1, c.T({5})}, {2, {DType::kI32, {2, 8}}}};
            for (CaseInput& input : loss.inputs) input.differentiate &= with_gradient;
            if (c.small) add_given_divisor(c, loss);
        }
    }
}

void add_class_cases(OpCaseList& c) {
    const Shape logits = c.small ? Shape{37, 11} : Shape{1024, 100};
    const int64_t first = c.small ? kIgnoredTarget : 0;  // some rows have no target
    for (const bool with_gradient : {true, false}) {
        CaseInput x = c.normal("logits", logits);
        x.differentiate = with_gradient;
        OpCase& loss = c.add(with_gradient ? "class loss" : "class loss, without gradient",
                             CrossEntropy(0.5), {x, c.tokens({logits[0]}, first, logits[1])});
        loss.is_loss = true;
        loss.loss_scale = 0.5;
        loss.refused = {{0, c.T({36, 11})}, {1, {DType::kI32, {38}}}, {1, c.T({37})}};
    }
}

void add_patch_cases(OpCaseList& c) {
    const Shape patches = c.small ? Shape{3, 5, 67} : Shape{128, 64, 192};
    const int64_t length = patches[1], width = patches[2];
    const CaseInput p = c.normal("patches", patches);
    const CaseInput token = c.table("token", {1, width}, 0, 0.02);
    c.add("patches behind a class token", PlacePatches({.class_token = true, .positions = true}),
          {p, token, c.table("wpe", {length + 1, width}, 0, 0.02)})
        .refused = {{0, c.T({3, 4, 67})}, {1, c.A({67})}, {2, c.A({5, 67})}, {2, c.A({6, 66})}};
    if (c.small) {
        c.add("patches with positions", PlacePatches({.class_token = false, .positions = true}),
              {p, c.table("wpe", {length, width}, 0, 0.02)});
        c.add("patches behind a class token without positions",
              PlacePatches({.class_token = true, .positions = false}), {p, token});
    }
    c.add("pool by the first row", Pool(PoolKind::kFirst), {p}).refused = {{0, c.T({15, 67})}};
    c.add("pool by the mean", Pool(PoolKind::kMean), {p});
}

void add_update_cases(OpCaseList& c) {
    // Long enough for several threads, and no multiple of a vector.
    const int64_t count = c.small ? 40003 : c.timed.d_model * c.timed.d_ff;
    CaseInput g = c.table("g", {count}, 0, 1), h = c.table("h", {13, 7}, 0, 1);
    g.differentiate = h.differentiate = false;
    c.add("gradient norm", GradientNorm(), {g, h}).refused = {{1, {DType::kBF16, {13, 7}}}};
    CaseInput norm = c.table("norm", {1}, 3.0, 0.0);
    norm.type.dtype = DType::kF64;
    norm.differentiate = false;
    const AdamWOptions options{.weight_decay = 0.1, .grad_clip = 1.0};
    const auto add = [&](std::string name, std::optional<DType> copy) {
        OpCase& adamw = c.add(std::move(name), AdamW(options, copy), {g, norm});
        adamw.updates = true;
        adamw.updated_mean = 2.0;  // second moments are never negative
        adamw.updated_deviation = 0.1;
        adamw.refused = {{1, {DType::kF32, {1}}}, {1, {DType::kF64, {2}}}};
    };
    add("adamw", {});
    if (c.small) add("adamw, with a working copy", DType::kBF16);
}

void add_embedding_cases(OpCaseList& c) {
    const int64_t vocab_size = c.small ? 11 : c.timed.vocab_size;
    const int64_t d_model = c.small ? 67 : c.timed.d_model;
    const Shape tokens = c.small ? Shape{3, 5} : Shape{c.timed.batch_size, c.timed.seq_len};
    const int64_t block = c.small ? 8 : c.timed.seq_len;
    const CaseInput wte = c.table("wte", {vocab_size, d_model}, 0, 0.02);
    OpCase& positions =
        c.add("embedding with positions", Embedding(c.dtype),
              {c.tokens(tokens, 0, vocab_size), wte, c.table("wpe", {block, d_model}, 0, 0.02)});
    positions.refused = {{0, c.T({3, 5})},
                         {1, c.A({vocab_size, d_model, 1})},
                         {2, c.A({4, d_model})},
                         {2, c.A({8, d_model + 1})}};
    if (c.small) c.add("embedding", Embedding(c.dtype), {c.tokens(tokens, 0, vocab_size), wte});
}

void add_norm_cases(OpCaseList& c) {
    const Shape shape = c.small ? Shape{2, 19, 37} : c.stream();
    const CaseInput gain = c.table("gain", {shape.back()}, 1.0, 0.2);
    CaseInput x = c.normal("x", shape);
    x.mean = 0.5;
    c.add("layernorm", LayerNorm(1e-5), {x, gain}).refused = {
        {1, c.A({38})}, {1, c.A({37, 1})}, {1, {DType::kI32, {37}}}};
    c.add("rmsnorm", RmsNorm(1e-6), {x, gain}).refused = {{1, c.A({38})}};
    const int64_t heads = c.small ? 5 : c.timed.n_head, width = c.small ? 7 : c.d_head();
    c.add("rmsnorm of heads", RmsNorm(1e-6),
          {c.normal("x", {shape[0], shape[1], heads * width}), c.table("gain", {width}, 1.0, 0.2)})
        .refused = {{1, c.A({6})}, {1, c.A({7, 1})}};
    if (!c.small) return;
    // Rows on a far mean: a one-pass variance would lose all digits.
    x.mean = 100.0;
    OpCase& far = c.add("layernorm far from zero", LayerNorm(1e-5), {x, gain});
    far.tolerance_f32 = 1e-4;   // x carries 100 / 1 times its own rounding into x - mean
    far.tolerance_bf16 = 4e-2;  // sums of bfloat16 numbers near 100, which are 0.5 apart
}

void add_dyt_cases(OpCaseList& c) {
    const Shape shape = c.small ? Shape{2, 19, 37} : c.stream();
    const CaseInput gain = c.table("gain", {shape.back()}, 1.0, 0.2);
    OpCase& dyt = c.add("dyt", DyT(),
                        {c.normal("x", shape), gain, c.table("shift", {shape.back()}, 0.0, 0.5),
                         c.table("alpha", {1}, 0.7, 0.0)});
    dyt.refused = {{1, c.A({38})}, {2, c.A({36})}, {3, c.A({2})}};
}

void add_bias_cases(OpCaseList& c) {
    const Shape shape = c.small ? Shape{2, 19, 37} : c.stream();
    c.add("add bias", AddBias(), {c.normal("x", shape), c.table("bias", {shape.back()}, 0.0, 1.0)})
        .refused = {{1, c.A({38})}, {1, c.A({37, 1})}};
}

void add_rotary_cases(OpCaseList& c) {
    const int64_t d_head = c.small ? 10 : c.d_head();
    const Shape shape = c.small ? Shape{3, 9, 3 * d_head} : c.stream();
    c.add("rotary", Rotary({.d_head = d_head, .width = d_head}), {c.normal("x", shape)}).refused = {
        {0, c.T({3, 9, 31})}, {0, c.T({27, 30})}};
    c.add("rotary, interleaved", Rotary({.d_head = d_head, .width = d_head, .interleaved = true}),
          {c.normal("x", shape)});
    if (c.small)
        c.add("rotary, part of a head",
              Rotary({.d_head = d_head, .first = 3, .width = 4, .theta = 100.0}),
              {c.normal("x", shape)});
}

/// Pieces that overlap in their sources, read one source twice, or read nothing; columns that
/// nobody reads; fixed and learned weights of two tables.
void add_small_mix_cases(OpCaseList& c) {
    const CaseInput a = c.normal("a", {2, 19, 11}), b = c.normal("b", {2, 19, 7});
    const CaseInput w = c.table("w", {3}, 0.5, 0.5), v = c.table("v", {2, 2}, 0.0, 1.0);
    c.add("column mix, fixed weights",
          ColumnMix({2,
                     {{3, {{0, 0}, {1, 2, -0.5}}},
                      {4, {}},
                      {5, {{0, 1, 2.0}, {0, 6, 0.25}}},
                      {2, {{1, 5}}}}}),
          {a, b})
        .refused = {{1, c.T({2, 19, 6})}, {1, c.T({2, 18, 7})}, {0, c.T({2, 19, 10})}};
    c.add("column mix, learned weights",
          ColumnMix({2,
                     {{3, {{0, 0, 0, 1, 0, 2}, {1, 2, 1, -1, 0, 2}}},
                      {6, {{0, 5, 0, 1, 0, 0}, {1, 1, 0, 3, 1, 3}, {0, 1, 0, 1, 0, 0}}}}}),
          {a, b, w, v})
        .refused = {{2, c.A({2})}, {3, c.A({3})}, {2, {DType::kI32, {3}}}};
    c.add("column mix, longer than a chunk", ColumnMix({1, {{300, {{0, 5, 2.0}}}}}),
          {c.normal("x", {1, 3, 310})});
}

void add_mix_cases(OpCaseList& c) {
    if (c.small) {
        add_small_mix_cases(c);
        return;
    }
    const Shape shape = c.stream();
    MixPiece average{c.timed.d_model, {}};
    std::vector<CaseInput> inputs;
    for (int i = 0; i < 6; ++i) {
        average.terms.push_back({i, 0, 0.0, 1.0, 0, i});
        inputs.push_back(c.normal(fmt::format("x{}", i), shape));
    }
    inputs.push_back(c.table("w", {6}, 0.2, 0.1));
    c.add("column mix of 6 layers", ColumnMix({6, {average}}), std::move(inputs));
}

void add_hyper_cases(OpCaseList& c) {
    const Shape shape = c.small ? Shape{5, 5} : Shape{4, 4};
    c.add("scaled sigmoid", ScaledSigmoid(2.0), {c.table("x", {shape[0]}, 0, 2)}).refused = {
        {0, {DType::kI32, {5}}}};
    c.add("sinkhorn", Sinkhorn(), {c.table("x", shape, 0, 1.5)}).refused = {
        {0, c.A({5, 4})}, {0, c.A({25})}, {0, {DType::kBF16, {5, 5}}}};
}

void add_activation_cases(OpCaseList& c) {
    const Shape shape = c.small ? kSmallShape : c.hidden();
    for (const ActivationKind kind :
         {ActivationKind::kGelu, ActivationKind::kGeluTanh, ActivationKind::kRelu,
          ActivationKind::kRelu2, ActivationKind::kSilu}) {
        CaseInput x = c.normal("x", shape);
        x.deviation = 2.0;
        if (kind == ActivationKind::kRelu || kind == ActivationKind::kRelu2) x.kink_margin = 0.02;
        c.add(fmt::format("activation {}", name_of(kind)), Activation(kind), {x});
        OpCase& gated = c.add(fmt::format("gated activation {}", name_of(kind)),
                              GatedActivation(kind), {x, c.normal("up", shape)});
        gated.refused = {{1, c.T({5, 51, 68})}};
    }
}

}  // namespace

TimedSizes timed_sizes(CaseSize size) {
    return size == CaseSize::kGpu ? TimedSizes{8, 1024, 768, 12, 3072, 50304}
                                  : TimedSizes{8, 256, 384, 6, 1536, 256};
}

std::vector<OpCase> op_cases(DType dtype, CaseSize size) {
    OpCaseList cases{dtype, size == CaseSize::kSmall, {}, timed_sizes(size)};
    add_activation_cases(cases);
    add_add_cases(cases);
    add_attention_cases(cases);
    add_bias_cases(cases);
    add_cast_cases(cases);
    add_class_cases(cases);
    add_classifier_cases(cases);
    add_decoding_cases(cases);
    add_dropout_cases(cases);
    add_dyt_cases(cases);
    add_embedding_cases(cases);
    add_expert_cases(cases);
    add_hyper_cases(cases);
    add_linear_cases(cases);
    add_mix_cases(cases);
    add_norm_cases(cases);
    add_patch_cases(cases);
    add_rotary_cases(cases);
    add_update_cases(cases);
    return std::move(cases.list);
}

}  // namespace headroom
