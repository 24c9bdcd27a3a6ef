#include <fmt/format.h>

#include "panels/architecture/attention_layout.h"
#include "panels/architecture/label_text.h"

namespace headroom {
namespace {

using Sizes = BlockSizes;

/// Cells of the strip that stands for the latent's coordinates.
constexpr int kLatentCells = 16;

std::vector<HeadRole> latent_cells(const LatentFacts& latent) {
    const auto own =
        static_cast<int>(kLatentCells * latent.own / std::max<int64_t>(1, latent.width));
    std::vector<HeadRole> cells(kLatentCells,
                                latent.source < 0 ? HeadRole::kNone : HeadRole::kReused);
    std::fill_n(cells.begin(), own, HeadRole::kOwn);
    return cells;
}

/// The latent: its own coordinates projected, the others named by their layer. Returns the height
/// of its upper side.
double add_latent(BlockBuilder& b, const std::string& from, DrawPoint start, double y, double left,
                  double width) {
    const LatentFacts& latent = *b.facts().latent;
    const double middle = left + width / 2, column = b.column_width();
    const bool joined = latent.own < latent.width;
    const double own_x = joined && latent.own > 0 ? left + column / 2 : middle;
    const double strip_y = y + Sizes::kTwoLines + Sizes::kGap;
    b.add_box("latent", BoxRole::kHeads, Ink::kLatent, {left, strip_y, width, Sizes::kStrip}, "")
        .heads = latent_cells(latent);
    if (b.add_tensor("kv_down", "attn.kv_down.weight", BoxRole::kLatent, Ink::kLatent,
                     {own_x - column / 2, y, column, Sizes::kTwoLines}, "W_{DKV}")) {
        const double bend = start.y + Sizes::kGap / 2 - 1;
        b.add_edge(from, b.id("kv_down"), {start, {start.x, bend}, {own_x, bend}, {own_x, y}});
        b.add_edge(b.id("kv_down"), b.id("latent"),
                   {{own_x, y + Sizes::kTwoLines}, {own_x, strip_y}}, Ink::kLatent);
    }
    if (joined) {
        const double x = latent.own > 0 ? left + width - column / 2 : middle;
        const std::string source =
            latent.source < 0 ? "zeros" : layer_text(latent.source, b.kind());
        b.add_box("latent_source", BoxRole::kSource, Ink::kLatent,
                  {x - column / 2, y, column, Sizes::kTwoLines},
                  fmt::format("{} of c", latent.width - latent.own), source);
        b.add_edge(b.id("latent_source"), b.id("latent"), {{x, y + Sizes::kTwoLines}, {x, strip_y}},
                   Ink::kLatent);
    }
    return strip_y + Sizes::kStrip;
}

}  // namespace

BranchEnd lay_out_latent_attention(BlockBuilder& b, const std::string& from, DrawPoint start,
                                   double left) {
    const double column = b.column_width();
    const auto middle = [&](int i) { return left + column / 2 + i * (column + kColumnGap); };
    Stream query{'Q', Ink::kQuery, middle(0)}, rotary{'R', Ink::kKeys, middle(1)};
    Stream key{'K', Ink::kKeys, middle(2)}, value{'V', Ink::kValues, middle(3)};
    const double y = start.y + Sizes::kGap;
    const auto rect = [&](const Stream& s, double at) {
        return DrawRect{s.x - column / 2, at, column, Sizes::kTwoLines};
    };
    b.add_tensor("q", "attn.q.weight", BoxRole::kQuery, Ink::kQuery, rect(query, y), "W_{Q}");
    b.add_tensor("k_rope_w", "attn.k_rope.weight", BoxRole::kKey, Ink::kKeys, rect(rotary, y),
                 "W_{KR}");
    query.from = b.id("q");
    rotary.from = b.id("k_rope_w");
    fan_out(b, from, start, y, {query, rotary});
    const double latent_y =
        add_latent(b, from, start, y, key.x - column / 2, 2 * column + kColumnGap);
    const double up_y = latent_y + Sizes::kGap;
    for (Stream* s : {&key, &value}) {
        b.add_tensor(s->name("_up"), "attn." + s->name("_up.weight"),
                     s == &key ? BoxRole::kKey : BoxRole::kValue, s->ink, rect(*s, up_y),
                     s == &key ? "W_{UK}" : "W_{UV}");
        b.add_edge(b.id("latent"), b.id(s->name("_up")), {{s->x, latent_y}, {s->x, up_y}},
                   Ink::kLatent);
        s->from = b.id(s->name("_up"));
        s->y = up_y + Sizes::kTwoLines;
    }
    query.y = rotary.y = y + Sizes::kTwoLines;
    if (b.model().pos == Positions::kRope)
        add_row(b, {&query, &rotary}, "_rotary", BoxRole::kRotary, "RoPE", up_y);
    return add_attention(
        b, {{query.from, query}, {rotary.from, rotary}, {key.from, key}, {value.from, value}},
        up_y + Sizes::kTwoLines, left);
}

}  // namespace headroom
