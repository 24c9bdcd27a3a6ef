#include <fmt/format.h>

#include "panels/architecture/attention_layout.h"
#include "panels/architecture/label_text.h"

namespace headroom {

using Sizes = BlockSizes;

static std::string attention_note(const ModelConfig& m) {
    std::string text = fmt::format("{} heads of {}", m.n_head, m.mla ? m.mla->d_nope : m.d_head);
    if (m.mla) text += fmt::format(" + {}", m.mla->d_r);
    const bool in_part = m.pos == Positions::kRope && !m.mla && m.rope_dim != m.d_head;
    if (in_part) text += fmt::format(", {} rotated", m.rope_dim);
    if (m.n_kv_head != m.n_head) text += fmt::format(", {} K/V", m.n_kv_head);
    text += " · scale " + scale_text(m.attn_scale);
    return text;
}

void fan_out(BlockBuilder& b, const std::string& from, DrawPoint start, double y,
             const std::vector<Stream>& streams) {
    for (const Stream& s : streams) {
        if (!s.flows()) continue;
        const double bend = start.y + Sizes::kGap / 2 - 1;
        b.add_edge(from, s.from, {start, {start.x, bend}, {s.x, bend}, {s.x, y}});
    }
}

double add_row(BlockBuilder& b, const std::vector<Stream*>& streams, const char* suffix,
               BoxRole role, const std::string& label, double y) {
    const double width = std::max(label_width(label, kLabelType) + 6, 22.0);
    const double bottom = y + Sizes::kGap - 1.5;
    for (Stream* s : streams) {
        if (!s->flows()) continue;
        b.add_box(s->name(suffix), role, s->ink, {s->x - width / 2, bottom, width, Sizes::kOneLine},
                  label);
        b.add_edge(s->from, b.id(s->name(suffix)), {{s->x, s->y}, {s->x, bottom}}, s->ink);
        s->from = b.id(s->name(suffix));
        s->y = bottom + Sizes::kOneLine;
    }
    return bottom + Sizes::kOneLine;
}

BranchEnd add_attention(BlockBuilder& b, const std::vector<std::pair<std::string, Stream>>& inputs,
                        double from_y, double left) {
    const double width = attention_width(b), centre = left + width / 2;
    const double y = from_y + Sizes::kGap;
    b.add_box("attention", BoxRole::kAttention, Ink::kPlain, {left, y, width, Sizes::kTwoLines},
              b.model().causal ? "Causal attention" : "Attention, no mask",
              attention_note(b.model()));
    for (const auto& [from, s] : inputs)
        b.add_edge(from, b.id("attention"), {{s.x, s.y}, {s.x, y}}, s.ink);
    const double output_y = y + Sizes::kTwoLines + Sizes::kGap - 1;
    const double column = std::max(b.column_width(), 34.0);
    const DrawRect rect{centre - column / 2, output_y, column, Sizes::kTwoLines};
    if (!b.add_tensor("o", "attn.o.weight", BoxRole::kOutput, Ink::kPlain, rect, "W_{O}"))
        b.add_box("o", BoxRole::kIdentity, Ink::kPlain, rect, "heads", "no W_{O}").tip =
            "No output projection: the heads side by side are the output";
    b.add_edge(b.id("attention"), b.id("o"), {{centre, y + Sizes::kTwoLines}, {centre, output_y}});
    return {b.id("o"), {centre, rect.bottom()}};
}

}  // namespace headroom
