#include "panels/architecture/block_builder_layout.h"
#include "panels/architecture/label_text.h"

namespace headroom {
namespace {

constexpr double kGap = BlockSizes::kGap;

double matrix_width(const BlockBuilder& builder) {
    double width = builder.column_width();
    for (const char* name : {"mlp.gate.weight", "mlp.up.weight", "mlp.down.weight"})
        if (const Shape* shape = builder.tensor(name))
            width = std::max(width, label_width(shape_text(*shape), kNoteType) + 4);
    if (is_gated(builder.choices().mlp) && builder.model().topology == Topology::kParallel)
        width += 10;  // "2 · 768 × 3072"
    return width;
}

/// Beside attention there is no room for two arms: one box stands for both.
bool has_two_arms(const BlockBuilder& builder) {
    return is_gated(builder.choices().mlp) && builder.model().topology == Topology::kSerial;
}

std::string activation_label(const BlockBuilder& b) {
    if (!is_gated(b.choices().mlp) || has_two_arms(b)) return activation_text(b.choices().mlp);
    return activation_text(b.choices().mlp) + " ⊙";
}

double activation_width(const BlockBuilder& b) {
    return label_width(activation_label(b), kLabelType) + 10;
}

/// Two arms that are multiplied: act(x W_gate) * (x W_up).
BranchEnd lay_out_gate(BlockBuilder& b, const std::string& from, DrawPoint start, double centre) {
    const double width = matrix_width(b);
    const double gate_x = centre - (width + 5) / 2, up_x = centre + (width + 5) / 2;
    double y = start.y + kGap;
    for (const auto& [name, x, label] :
         {std::tuple("gate", gate_x, "W_{gate}"), std::tuple("up", up_x, "W_{up}")}) {
        const DrawRect rect{x - width / 2, y, width, BlockSizes::kTwoLines};
        b.add_tensor(name, std::string("mlp.") + name + ".weight", BoxRole::kMlp, Ink::kPlain, rect,
                     label);
        b.add_edge(from, b.id(name),
                   {start, {start.x, start.y + kGap / 2 - 1}, {x, start.y + kGap / 2 - 1}, {x, y}});
    }
    y += BlockSizes::kTwoLines + kGap - 2;
    const double act = activation_width(b);
    b.add_box("act", BoxRole::kActivation, Ink::kPlain,
              {gate_x - act / 2, y, act, BlockSizes::kOneLine}, activation_text(b.choices().mlp));
    b.add_edge(b.id("gate"), b.id("act"), {{gate_x, y - kGap + 2}, {gate_x, y}});
    const double product_y = y + BlockSizes::kOneLine + 2 + BlockSizes::kCircle / 2;
    const double radius = BlockSizes::kCircle / 2;
    b.add_box("product", BoxRole::kProduct, Ink::kPlain, b.circle({centre, product_y}), "");
    b.add_edge(
        b.id("act"), b.id("product"),
        {{gate_x, y + BlockSizes::kOneLine}, {gate_x, product_y}, {centre - radius, product_y}});
    b.add_edge(b.id("up"), b.id("product"),
               {{up_x, y - kGap + 2}, {up_x, product_y}, {centre + radius, product_y}});
    return {b.id("product"), {centre, product_y + radius}};
}

BranchEnd lay_out_plain(BlockBuilder& b, const std::string& from, DrawPoint start, double centre) {
    const double width = matrix_width(b);
    double y = start.y + kGap;
    const DrawRect rect{centre - width / 2, y, width, BlockSizes::kTwoLines};
    b.add_tensor("up", "mlp.up.weight", BoxRole::kMlp, Ink::kPlain, rect, "W_{up}");
    if (is_gated(b.choices().mlp)) {
        DrawBox& both = b.drawing().boxes.back();
        both.label = "W_{gate}, W_{up}";
        both.note = "2 · " + both.note;
    }
    std::vector<DrawPoint> path{start};
    if (start.x != centre) {
        path.push_back({start.x, start.y + kGap / 2 - 1});
        path.push_back({centre, start.y + kGap / 2 - 1});
    }
    path.push_back({centre, y});
    b.add_edge(from, b.id("up"), std::move(path));
    y += BlockSizes::kTwoLines + kGap - 2;
    const double act = activation_width(b);
    b.add_box("act", BoxRole::kActivation, Ink::kPlain,
              {centre - act / 2, y, act, BlockSizes::kOneLine}, activation_label(b));
    b.add_edge(b.id("up"), b.id("act"), {{centre, y - kGap + 2}, {centre, y}});
    return {b.id("act"), {centre, y + BlockSizes::kOneLine}};
}

}  // namespace

double mlp_width(const BlockBuilder& builder) {
    const double width = matrix_width(builder);
    return has_two_arms(builder) ? 2 * width + 5 : width;
}

BranchEnd lay_out_mlp(BlockBuilder& b, const std::string& from, DrawPoint start, double centre) {
    const BranchEnd inner = has_two_arms(b) ? lay_out_gate(b, from, start, centre)
                                            : lay_out_plain(b, from, start, centre);
    const double width = matrix_width(b);
    const double y = inner.at.y + kGap - 2;
    b.add_tensor("down", "mlp.down.weight", BoxRole::kMlp, Ink::kPlain,
                 {centre - width / 2, y, width, BlockSizes::kTwoLines}, "W_{down}");
    b.add_edge(inner.from, b.id("down"), {inner.at, {centre, y}});
    return {b.id("down"), {centre, y + BlockSizes::kTwoLines}};
}

}  // namespace headroom
