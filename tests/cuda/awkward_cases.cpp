#include "tests/cuda/awkward_cases.h"

#include <fmt/format.h>

#include "core/data/batch.h"
#include "core/op_cases/op_case_list.h"
#include "core/ops/activation.h"
#include "core/ops/add.h"
#include "core/ops/bias.h"
#include "core/ops/column_mix.h"
#include "core/ops/decode_cache.h"
#include "core/ops/dyt.h"
#include "core/ops/embedding.h"
#include "core/ops/expert_linear.h"
#include "core/ops/linear_cross_entropy.h"
#include "core/ops/norm.h"
#include "core/ops/rotary.h"

namespace headroom {
namespace {

void add_norm_cases(OpCaseList& c) {
    for (const int64_t d : {5, 62, 64, 65, 744, 1040}) {
        const CaseInput x = c.normal("x", {2, 13, d}), gain = c.table("gain", {d}, 1.0, 0.2);
        c.add(fmt::format("layernorm of {}", d), LayerNorm(1e-5), {x, gain});
        c.add(fmt::format("rmsnorm of {}", d), RmsNorm(1e-6), {x, gain});
    }
    for (const int64_t width : {16, 62, 64})
        c.add(fmt::format("rmsnorm of heads of {}", width), RmsNorm(1e-6),
              {c.normal("x", {2, 50, 3 * width}), c.table("gain", {width}, 1.0, 0.2)});
    // Longer than the registers of a block hold.
    for (const int64_t d : {1025, 8200})
        c.add(fmt::format("layernorm of {}", d), LayerNorm(1e-5),
              {c.normal("x", {1, 1, d}), c.table("gain", {d}, 1.0, 0.2)});
}

void add_column_sum_cases(OpCaseList& c) {
    for (const int64_t d : {3, 62, 65, 72}) {
        const CaseInput x = c.normal("x", {3, 67, d});
        c.add(fmt::format("add bias to {}", d), AddBias(), {x, c.table("bias", {d}, 0.0, 1.0)});
        c.add(fmt::format("dyt of {}", d), DyT(),
              {x, c.table("gain", {d}, 1.0, 0.2), c.table("shift", {d}, 0.0, 0.5),
               c.table("alpha", {1}, 0.7, 0.0)});
    }
}

void add_classifier_cases(OpCaseList& c) {
    for (const int64_t vocab_size : {3, 65, 640, 50257})
        for (const bool tied : {true, false}) {
            const int64_t d = 4, rows = vocab_size > 1000 ? 2 : 30;
            CaseInput weight = c.normal("w", tied ? Shape{vocab_size, d} : Shape{d, vocab_size});
            weight.weight = true;
            OpCase& loss = c.add(
                fmt::format("classifier loss, {} {} tokens", vocab_size, tied ? "tied" : "own"),
                LinearCrossEntropy({tied, 0.5}),
                {c.normal("x", {1, rows, d}), weight, c.tokens({1, rows}, 0, vocab_size)});
            loss.is_loss = true;
            loss.loss_scale = 0.5;
            // The specification adds all of dx to a float, one after the other.
            if (vocab_size > 1000) loss.tolerance_f32 = 5e-5;
        }
}

/// Rows of whole packs, more and fewer than a tile has, and an expert without any.
void add_expert_map_cases(OpCaseList& c) {
    for (const auto& [in, out] : {std::pair{40, 136}, std::pair{136, 72}, std::pair{64, 36}}) {
        std::vector<CaseInput> inputs{c.normal("x", {180, in}),
                                      c.whole("offsets", {4}, {0, 141, 141, 174})};
        for (const char* name : {"w0", "w1", "w2"}) {
            inputs.push_back(c.normal(name, {in, out}));
            inputs.back().weight = true;
        }
        c.add(fmt::format("linear maps of experts, {} to {}", in, out), ExpertLinear(),
              std::move(inputs));
    }
}

/// `limit`: tokens are below it; 1 gives every place to one token.
void add_embedding_cases(OpCaseList& c) {
    struct Case {
        int64_t vocab_size, limit, d, batch_size, seq_len;
    };
    for (const Case& n :
         {Case{300, 300, 8, 3, 211}, Case{300, 3, 8, 5, 141}, Case{300, 1, 6, 9, 131},
          Case{66000, 66000, 3, 2, 31}, Case{2, 2, 16, 1, 1}}) {
        CaseInput tokens = c.tokens({n.batch_size, n.seq_len}, 0, n.limit);
        c.add(fmt::format("embedding, {} of {} tokens", n.limit, n.vocab_size), Embedding(c.dtype),
              {tokens, c.table("wte", {n.vocab_size, n.d}, 0, 0.02),
               c.table("wpe", {n.seq_len + 3, n.d}, 0, 0.02)});
    }
}

void add_rotary_cases(OpCaseList& c) {
    const auto add = [&](const char* name, RotaryOptions o, Shape shape) {
        c.add(name, Rotary(o), {c.normal("x", std::move(shape))});
    };
    add("rotary of 64", {.d_head = 64, .width = 64}, {3, 5, 128});
    add("rotary of 62", {.d_head = 62, .width = 62}, {2, 5, 124});
    add("rotary of 48, behind 16", {.d_head = 80, .first = 16, .width = 48}, {2, 5, 160});
    add("rotary of 32, behind 2", {.d_head = 34, .first = 2, .width = 32}, {2, 5, 68});
    for (const int64_t first : {0, 1, 16})
        add("rotary, interleaved, of 32",
            {.d_head = 32 + first, .first = first, .width = 32, .interleaved = true},
            {2, 5, 2 * (32 + first)});
}

/// Pieces of whole packs, with a piece that nothing is read for; the same one column aside.
void add_mix_cases(OpCaseList& c) {
    for (const int64_t aside : {0, 1}) {
        const CaseInput a = c.normal("a", {2, 21, 32}), b = c.normal("b", {2, 21, 24 + aside});
        const CaseInput w = c.table("w", {3}, 0.5, 0.5);
        c.add(fmt::format("column mix of packs, {} aside", aside),
              ColumnMix({2,
                         {{16, {{0, 16, 0, 1, 0, 2}, {1, 8 + aside, 1, -1, 0, 0}}},
                          {8, {}},
                          {24, {{0, 8, 0.5}, {1, aside, 0, 2, 0, 1}, {0, 0, 0, 1, 0, 2}}}}}),
              {a, b, w});
    }
}

void add_cache_cases(OpCaseList& c) {
    for (const int64_t width : {16, 62, 65}) {
        CaseInput x = c.normal("x", {2, 3, 2 * width + 16});
        x.differentiate = false;
        c.add(fmt::format("cache append, heads of {}", width), CacheAppend(2, width, 6), {x})
            .updates = true;
        c.add(fmt::format("last row, heads of {}", width), LastRow(), {x});
    }
}

}  // namespace

std::vector<OpCase> awkward_cases(DType dtype) {
    OpCaseList cases{dtype, true, {}};
    add_norm_cases(cases);
    add_column_sum_cases(cases);
    add_classifier_cases(cases);
    add_expert_map_cases(cases);
    add_embedding_cases(cases);
    add_rotary_cases(cases);
    add_mix_cases(cases);
    add_cache_cases(cases);
    return std::move(cases.list);
}

}  // namespace headroom
