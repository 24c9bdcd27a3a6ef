#include "core/ops/op_cases.h"

#include <cmath>

#include <fmt/format.h>

#include "core/ops/activation.h"
#include "core/ops/adamw.h"
#include "core/ops/add.h"
#include "core/ops/attention.h"
#include "core/ops/cast.h"
#include "core/ops/classifier_loss.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"
#include "core/train/batch_source.h"

namespace headroom {
namespace {

/// Collects the cases of one storage type. T: a tensor of it, A: of its accumulator type.
struct Cases {
    DType dtype;
    bool small;
    std::vector<OpCase> list;

    TensorType T(Shape shape) const { return {dtype, std::move(shape)}; }
    TensorType A(Shape shape) const { return {accumulator_of(dtype), std::move(shape)}; }

    template <class SomeOp>
    OpCase& add(std::string name, SomeOp op, std::vector<CaseInput> inputs) {
        OpCase c;
        c.name = std::move(name);
        c.op = std::make_shared<SomeOp>(std::move(op));
        c.inputs = std::move(inputs);
        list.push_back(std::move(c));
        return list.back();
    }
    CaseInput normal(std::string name, Shape shape) const {
        CaseInput input;
        input.name = std::move(name);
        input.type = T(std::move(shape));
        return input;
    }
    CaseInput table(std::string name, Shape shape, double mean, double deviation) const {
        CaseInput input = normal(std::move(name), {});
        input.type = A(std::move(shape));
        input.mean = mean;
        input.deviation = deviation;
        return input;
    }
    CaseInput tokens(Shape shape, int64_t first, int64_t limit) const {
        CaseInput input = normal("tokens", {});
        input.type = {DType::kI32, std::move(shape)};
        input.first = first;
        input.limit = limit;
        input.differentiate = false;
        return input;
    }
};

/// For elementwise operators: enough elements for several threads, and no multiple of a vector.
const Shape kSmallShape = {5, 51, 67};

void add_cast_cases(Cases& c) {
    const Shape shape = c.small ? kSmallShape : Shape{2048, 384};
    c.add("cast to the accumulator type", Cast(accumulator_of(c.dtype)), {c.normal("x", shape)});
    if (c.small)
        c.add("cast from the accumulator type", Cast(c.dtype), {c.table("x", shape, 0, 1)});
}

void add_add_cases(Cases& c) {
    const Shape shape = c.small ? kSmallShape : Shape{8, 256, 384};
    OpCase& add = c.add("add", Add(), {c.normal("a", shape), c.normal("b", shape)});
    add.refused = {{1, c.T({5, 51, 68})}, {1, {DType::kI32, shape}}};
}

void add_dropout_cases(Cases& c) {
    const Shape shape = c.small ? kSmallShape : Shape{8, 256, 384};
    c.add("dropout", Dropout(0.2, 3), {c.normal("x", shape)});
    if (c.small) c.add("dropout that keeps all", Dropout(0.0, 3), {c.normal("x", shape)});
}

void add_linear_cases(Cases& c) {
    const Shape x = c.small ? Shape{2, 9, 5} : Shape{8, 256, 384};
    const Shape w = c.small ? Shape{5, 7} : Shape{384, 1536};
    CaseInput weight = c.normal("w", w);
    weight.weight = true;
    OpCase& linear = c.add("linear", Linear(), {c.normal("x", x), weight});
    linear.refused = {{0, c.T({2, 9, 6})}, {1, c.T({6, 7})}, {1, c.T({5, 7, 1})}};
}

void add_classifier_cases(Cases& c) {
    const Shape x = c.small ? Shape{2, 9, 5} : Shape{8, 256, 384};
    const int64_t vocab_size = c.small ? 21 : 256;
    const int64_t first = c.small ? kIgnoredTarget : 0;  // some rows have no target
    const CaseInput targets = c.tokens({x[0], x[1]}, first, vocab_size);
    CaseInput weight = c.normal("w", {vocab_size, x[2]});
    weight.weight = true;
    for (const bool tied : {true, false}) {
        if (!tied) weight.type.shape = {x[2], vocab_size};
        for (const bool with_gradient : {true, false}) {
            OpCase& loss = c.add(fmt::format("classifier loss, {}{}", tied ? "tied" : "own head",
                                             with_gradient ? "" : ", without gradient"),
                                 ClassifierLoss({tied, 0.5}), {c.normal("x", x), weight, targets});
            loss.is_loss = true;
            loss.loss_scale = 0.5;
            loss.refused = {{0, c.T({2, 9, 6})}, {1, c.T({5})}, {2, {DType::kI32, {2, 8}}}};
            for (CaseInput& input : loss.inputs) input.differentiate &= with_gradient;
        }
    }
}

void add_update_cases(Cases& c) {
    // Long enough for several threads, and no multiple of a vector.
    const int64_t count = c.small ? 40003 : 384 * 1536;
    CaseInput g = c.table("g", {count}, 0, 1), h = c.table("h", {13, 7}, 0, 1);
    g.differentiate = h.differentiate = false;
    c.add("gradient norm", GradientNorm(), {g, h}).refused = {{1, {DType::kBF16, {13, 7}}}};
    CaseInput norm = c.table("norm", {1}, 3.0, 0.0);
    norm.type.dtype = DType::kF64;
    norm.differentiate = false;
    OpCase& adamw = c.add("adamw", AdamW({.weight_decay = 0.1, .grad_clip = 1.0}), {g, norm});
    adamw.updates = true;
    adamw.updated_mean = 2.0;  // second moments are never negative
    adamw.updated_deviation = 0.1;
    adamw.refused = {{1, {DType::kF32, {1}}}, {1, {DType::kF64, {2}}}};
}

void add_embedding_cases(Cases& c) {
    const int64_t vocab_size = c.small ? 11 : 256, d_model = c.small ? 67 : 384;
    const Shape tokens = c.small ? Shape{3, 5} : Shape{8, 256};
    const int64_t block = c.small ? 8 : 256;
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

void add_norm_cases(Cases& c) {
    const Shape shape = c.small ? Shape{2, 19, 37} : Shape{8, 256, 384};
    const CaseInput gain = c.table("gain", {shape.back()}, 1.0, 0.2);
    CaseInput x = c.normal("x", shape);
    x.mean = 0.5;
    c.add("layernorm", LayerNorm(1e-5), {x, gain}).refused = {
        {1, c.A({38})}, {1, c.A({37, 1})}, {1, {DType::kI32, {37}}}};
    c.add("rmsnorm", RmsNorm(1e-6), {x, gain}).refused = {{1, c.A({38})}};
    if (!c.small) return;
    // Rows on a far mean: a one-pass variance would lose all digits.
    x.mean = 100.0;
    OpCase& far = c.add("layernorm far from zero", LayerNorm(1e-5), {x, gain});
    far.tolerance_f32 = 1e-4;   // x carries 100 / 1 times its own rounding into x - mean
    far.tolerance_bf16 = 4e-2;  // sums of bfloat16 numbers near 100, which are 0.5 apart
}

void add_activation_cases(Cases& c) {
    const Shape shape = c.small ? kSmallShape : Shape{8, 256, 1536};
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

/// Every key and value head of its own tensor: inputs 1 and 2.
AttentionOptions own_heads(int64_t n_head, int64_t n_kv_head, int64_t d_head) {
    AttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = n_kv_head;
    o.d_head = d_head;
    o.scale = 1.0 / std::sqrt(static_cast<double>(d_head));
    for (int g = 0; g < static_cast<int>(n_kv_head); ++g) {
        o.key_heads.push_back({1, g});
        o.value_heads.push_back({2, g});
    }
    return o;
}

void add_attention_cases(Cases& c) {
    if (!c.small) {
        const Shape shape{8, 256, 384};
        c.add("attention", Attention(own_heads(6, 6, 64)),
              {c.normal("q", shape), c.normal("k", shape), c.normal("v", shape)});
        return;
    }
    const auto input = [&](std::string name, int64_t T, int64_t columns) {
        return c.normal(std::move(name), {2, T, columns});
    };
    OpCase& own = c.add("attention", Attention(own_heads(3, 3, 5)),
                        {input("q", 7, 15), input("k", 7, 15), input("v", 7, 15)});
    own.refused = {{0, c.T({2, 7, 14})},
                   {1, c.T({2, 8, 15})},
                   {1, c.T({2, 7, 10})},
                   {2, c.T({2, 7, 16})},
                   {2, {DType::kI32, {2, 7, 15}}}};
    c.add("attention, longer than a block", Attention(own_heads(2, 2, 6)),
          {input("q", 133, 12), input("k", 133, 12), input("v", 133, 12)});
    c.add("attention, grouped heads", Attention(own_heads(6, 2, 4)),
          {input("q", 9, 24), input("k", 9, 8), input("v", 9, 8)});
    AttentionOptions all = own_heads(2, 2, 3);
    all.causal = false;
    c.add("attention, not causal", Attention(all),
          {input("q", 9, 6), input("k", 9, 6), input("v", 9, 6)});
    AttentionOptions dropped = own_heads(2, 2, 3);
    dropped.dropout = 0.3;
    dropped.stream = 5;
    c.add("attention, dropout", Attention(dropped),
          {input("q", 70, 6), input("k", 70, 6), input("v", 70, 6)});

    // Value heads of the layer itself and of another one; heads of the other that nobody reads;
    // one head read twice; one value that is zero.
    AttentionOptions mixed = own_heads(4, 4, 3);
    mixed.value_heads = {{2, 0}, {3, 2}, {3, 2}, {-1, 0}};
    c.add("attention, values of another layer", Attention(mixed),
          {input("q", 9, 12), input("k", 9, 12), input("v", 9, 3), input("v_first", 9, 15)});
    AttentionOptions tied = own_heads(6, 3, 4);
    tied.value_heads = tied.key_heads;
    c.add("attention, values that are the keys", Attention(tied),
          {input("q", 70, 24), input("kv", 70, 16)});
    AttentionOptions identity = own_heads(3, 3, 4);
    for (HeadRef& key : identity.key_heads) key.input = 0;
    for (HeadRef& value : identity.value_heads) value.input = 1;
    c.add("attention, queries that are the keys", Attention(identity),
          {input("q", 9, 12), input("v", 9, 12)});
}

}  // namespace

std::vector<OpCase> op_cases(DType dtype, CaseSize size) {
    Cases cases{dtype, size == CaseSize::kSmall, {}};
    add_activation_cases(cases);
    add_add_cases(cases);
    add_attention_cases(cases);
    add_cast_cases(cases);
    add_classifier_cases(cases);
    add_dropout_cases(cases);
    add_embedding_cases(cases);
    add_linear_cases(cases);
    add_norm_cases(cases);
    add_update_cases(cases);
    return std::move(cases.list);
}

}  // namespace headroom
