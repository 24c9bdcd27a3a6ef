#include "panels/architecture/attention_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/config/enum_names.h"
#include "panels/architecture/label_text.h"

namespace headroom {
namespace {

using Sizes = BlockSizes;

/// What a label says of a query that is not plainly linear.
void add_query(BlockBuilder& b, Stream& s, DrawRect rect) {
    const ModelConfig& m = b.model();
    switch (b.choices().query) {
        case QueryMap::kLinear:
            b.add_tensor("q", "attn.q.weight", BoxRole::kQuery, s.ink, rect, "W_{Q}");
            break;
        case QueryMap::kResidual:
            b.add_tensor("q", "attn.q.weight", BoxRole::kQuery, s.ink, rect, "u + u W_{Q}");
            break;
        case QueryMap::kNonlinear:
            b.add_box("q", BoxRole::kQuery, s.ink, rect, "u + N(u)",
                      fmt::format("{}→{}→{}", m.d_model, m.nq_rank, m.d_model))
                .tip = "Nonlinear query: u + LN(GELU(RMS(u) W_1) W_2)";
            break;
        case QueryMap::kIdentity:
            b.add_box("q", BoxRole::kIdentity, s.ink, rect, "Q = u", "no W_{Q}").tip =
                "No query projection: every head reads its slice of the normalised input";
            break;
    }
    s.from = b.id("q");
}

/// The layer's own keys or values, or where all of them come from.
void add_projection(BlockBuilder& b, Stream& s, std::string_view map, DrawRect rect) {
    const std::string letter(1, s.letter);
    const BoxRole role = s.letter == 'K' ? BoxRole::kKey : BoxRole::kValue;
    if (s.facts->projected == 0) {
        const SourceText text = source_text(*s.facts, b.kind(), s.letter);
        b.add_box(s.name("_source"), BoxRole::kSource, s.ink, rect, text.label, text.note).tip =
            fmt::format("This layer has no W_{}: {} {}", letter, text.label, text.note);
        return;
    }
    const int64_t d = b.model().d_model;
    if (map == "identity")
        b.add_box(s.name(""), BoxRole::kIdentity, s.ink, rect, letter + " = u",
                  "no W_{" + letter + "}");
    else if (map == "nonlinear")
        b.add_box(s.name(""), role, s.ink, rect, "u + N(u)",
                  fmt::format("{}→{}→{}", d, b.model().nv_rank, d))
            .tip = "Nonlinear value: u + LN(GELU(RMS(u) W_1) W_2)";
    else
        b.add_tensor(s.name(""), "attn." + s.name(".weight"), role, s.ink, rect,
                     "W_{" + letter + "}");
    s.from = b.id(s.name(""));
}

/// Every head is a weighted sum: a box on the way, which names the other part.
void mix_heads(BlockBuilder& b, const Stream& s, const std::string& strip, double join_y,
               double strip_y) {
    const double column = b.column_width(), top = join_y + 5.5 + Sizes::kTwoLines;
    const SourceText text = source_text(*s.facts, b.kind(), s.letter);
    b.add_box(s.name("_source"), BoxRole::kSource, s.ink,
              {s.x - column / 2, join_y + 5.5, column, Sizes::kTwoLines}, text.label, text.note)
        .tip = text.label + ", " + text.note;
    b.add_edge(s.from, b.id(s.name("_source")), {{s.x, s.y}, {s.x, join_y + 5.5}}, s.ink);
    b.add_edge(b.id(s.name("_source")), strip, {{s.x, top}, {s.x, strip_y}}, s.ink);
}

/// Own heads come up on the left of the tag that names the others' layer.
void join_heads(BlockBuilder& b, const Stream& s, const std::string& strip, double join_y,
                double strip_y) {
    const double column = b.column_width(), left = s.x - column / 2 + 3.5;
    const double bend = join_y + 3.5;
    b.add_edge(s.from, strip, {{s.x, s.y}, {s.x, bend}, {left, bend}, {left, strip_y}}, s.ink);
    const SourceText text = source_text(*s.facts, b.kind(), s.letter);
    const DrawRect tag{s.x - column / 2 + 8, bend + 2, column - 8, Sizes::kTwoLines};
    b.add_box(s.name("_source"), BoxRole::kSource, s.ink, tag, text.label, text.note).tip =
        fmt::format("{}: {}, {}", s.letter, text.label, text.note);
    const double x = tag.centre().x;
    b.add_edge(b.id(s.name("_source")), strip, {{x, tag.bottom()}, {x, strip_y}}, s.ink);
}

/// The heads of one stream as attention reads them, and what flows into them.
void add_heads(BlockBuilder& b, const Stream& s, double join_y, double y, double cell) {
    const std::vector<HeadRole> own(static_cast<size_t>(b.model().n_head), HeadRole::kOwn);
    const std::vector<HeadRole>& heads = s.facts ? s.facts->heads : own;
    // Own heads and a tag need the whole column; few heads must still be seen.
    const double column = b.column_width();
    const double width =
        s.is_joined() ? column : std::max(cell * static_cast<double>(heads.size()), 6.0);
    DrawBox& strip = b.add_box(s.name("_heads"), BoxRole::kHeads, s.ink,
                               {s.x - width / 2, y, width, Sizes::kStrip}, "");
    strip.heads = heads;
    if (!s.flows()) {
        const DrawRect tag = b.drawing().find(b.id(s.name("_source")))->rect;
        b.add_edge(b.id(s.name("_source")), strip.id, {{s.x, tag.bottom()}, {s.x, y}}, s.ink);
        return;
    }
    if (!s.is_joined()) {
        b.add_edge(s.from, strip.id, {{s.x, s.y}, {s.x, y}}, s.ink);
        return;
    }
    const std::string id = strip.id;
    s.facts->is_mixture() ? mix_heads(b, s, id, join_y, y) : join_heads(b, s, id, join_y, y);
}

BranchEnd lay_out_head_attention(BlockBuilder& b, const std::string& from, DrawPoint start,
                                 double left) {
    const double column = b.column_width();
    const auto middle = [&](int i) { return left + column / 2 + i * (column + kColumnGap); };
    std::vector<Stream> streams{{'Q', Ink::kQuery, middle(0)},
                                {'K', Ink::kKeys, middle(1), &b.facts().keys},
                                {'V', Ink::kValues, middle(2), &b.facts().values}};
    Stream &q = streams[0], &k = streams[1], &v = streams[2];
    double y = start.y + Sizes::kGap;
    const auto rect = [&](const Stream& s) {
        return DrawRect{s.x - column / 2, y, column, Sizes::kTwoLines};
    };
    add_query(b, q, rect(q));
    add_projection(b, k, spelling(b.choices().key), rect(k));
    add_projection(b, v, spelling(b.choices().value), rect(v));
    fan_out(b, from, start, y, streams);
    y += Sizes::kTwoLines;
    for (Stream& s : streams) s.y = y;
    if (b.model().qk_norm) y = add_row(b, {&q, &k}, "_norm", BoxRole::kNorm, "QK-norm", y);
    if (b.model().pos == Positions::kRope)
        y = add_row(b, {&q, &k}, "_rope", BoxRole::kRotary, "RoPE", y);
    const bool joined = k.is_joined() || v.is_joined();
    const double heads_y = y + (joined ? Sizes::kTwoLines + 10.5 : Sizes::kGap - 1);
    std::vector<std::pair<std::string, Stream>> inputs;
    for (Stream& s : streams) {
        add_heads(b, s, y, heads_y, column / static_cast<double>(b.model().n_head));
        s.y = heads_y + Sizes::kStrip;
        inputs.emplace_back(b.id(s.name("_heads")), s);
    }
    return add_attention(b, inputs, heads_y + Sizes::kStrip, left);
}

}  // namespace

double attention_width(const BlockBuilder& builder) {
    const int columns = builder.model().mla ? 4 : 3;
    return columns * builder.column_width() + (columns - 1) * kColumnGap;
}

BranchEnd lay_out_attention(BlockBuilder& builder, const std::string& from, DrawPoint start,
                            double left) {
    return builder.model().mla ? lay_out_latent_attention(builder, from, start, left)
                               : lay_out_head_attention(builder, from, start, left);
}

}  // namespace headroom
