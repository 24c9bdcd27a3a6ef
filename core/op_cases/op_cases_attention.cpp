#include <cmath>

#include "core/op_cases/op_case_list.h"
#include "core/ops/attention.h"
#include "core/ops/cached_attention.h"
#include "core/ops/decode_cache.h"
#include "core/ops/head_linear.h"

namespace headroom {
namespace {

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

/// What decoding computes without gradients.
CaseInput fixed(CaseInput input) {
    input.differentiate = false;
    return input;
}

CachedAttentionOptions cached_heads(int64_t n_head, int64_t n_kv_head, int64_t d_head) {
    CachedAttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = n_kv_head;
    o.query_width = o.out_width = d_head;
    o.scale = 1.0 / std::sqrt(static_cast<double>(d_head));
    o.n_cache = 2;
    for (int64_t g = 0; g < n_kv_head; ++g) {
        o.keys.push_back({{0, g, 0, d_head, 0}});
        o.values.push_back({{1, g, 0, d_head, 0}});
    }
    return o;
}

}  // namespace

void add_decoding_cases(OpCaseList& c) {
    const int64_t n_head = c.small ? 6 : c.timed.n_head, kv = c.small ? 2 : n_head;
    const int64_t d_head = c.small ? 5 : c.d_head(), rows = c.small ? 9 : 64;
    const int64_t capacity = c.small ? 11 : c.timed.seq_len,
                  batch = c.small ? 2 : c.timed.batch_size;
    const CaseInput q = fixed(c.normal("q", {batch, rows, n_head * d_head}));
    const CaseInput k = fixed(c.normal("k", {batch, kv, capacity, d_head}));
    const CaseInput v = fixed(c.normal("v", {batch, kv, capacity, d_head}));
    c.add("cached attention", CachedAttention(cached_heads(n_head, kv, d_head)), {q, k, v})
        .refused = {{0, c.T({batch, rows, n_head * d_head + 1})},
                    {1, c.T({batch, 1, capacity, d_head})},
                    {2, c.T({batch, kv, capacity + 1, d_head})}};
    OpCase& append = c.add("cache append", CacheAppend(kv, d_head, capacity),
                           {fixed(c.normal("x", {batch, rows, kv * d_head + 3}))});
    append.updates = true;
    append.refused = {{0, c.T({batch, rows, kv * d_head - 1})}};
    c.add("last row", LastRow(), {q}).refused = {{0, c.T({rows, 4})}};
    const int64_t rank = c.small ? 7 : 128;
    const CaseInput w = fixed(c.normal("w", {rank, n_head * d_head}));
    c.add("head linear, transposed", HeadLinear(n_head, true, d_head + 2),
          {fixed(c.normal("x", {batch, rows, n_head * (d_head + 2)})), w})
        .refused = {{0, c.T({batch, rows, n_head * (d_head + 1)})}};
    c.add("head linear", HeadLinear(n_head, false, rank),
          {fixed(c.normal("x", {batch, rows, n_head * rank})), w});
    if (!c.small) return;
    // Values of two caches that a learned weight mixes, one of nothing; keys out of two parts.
    CachedAttentionOptions mixed = cached_heads(4, 2, 5);
    mixed.has_lambda = true;
    mixed.keys[1] = {{0, 1, 0, 2, 0}, {1, 0, 2, 3, 2}};
    mixed.values = {{{1, 0, 0, 5, 0, 0.0, 1.0}, {0, 1, 0, 5, 0, 1.0, -1.0}}, {}};
    c.add("cached attention, mixed sources", CachedAttention(mixed),
          {fixed(c.normal("q", {2, 9, 20})), k, v, fixed(c.table("lambda", {1}, 0.3, 0.0))});
}

void add_attention_cases(OpCaseList& c) {
    if (!c.small) {
        const Shape shape = c.stream();
        c.add("attention", Attention(own_heads(c.timed.n_head, c.timed.n_head, c.d_head())),
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
    AttentionOptions narrow = own_heads(4, 2, 6);
    narrow.d_value = 3;
    narrow.value_heads[1] = {3, 2};
    c.add("attention, values narrower than keys", Attention(narrow),
          {input("q", 70, 24), input("k", 70, 12), input("v", 70, 6), input("v_first", 70, 9)});
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

}  // namespace headroom
