#include <fmt/format.h>

#include "panels/architecture/block_builder_layout.h"
#include "panels/architecture/label_text.h"

namespace headroom {
namespace {

constexpr double kGap = BlockSizes::kGap;

bool has_router(const BlockBuilder& builder) {
    return builder.choices().experts > 1;
}

/// Experts are alike: the first one's matrix stands for all.
std::string matrix_name(const BlockBuilder& builder, const std::string& matrix) {
    return (has_router(builder) ? "mlp.experts.0." : "mlp.") + matrix + ".weight";
}

/// "8 · 768 × 3072": how many matrices of this shape a box stands for.
std::string several(int64_t count, const std::string& shape) {
    return count == 1 ? shape : fmt::format("{} · {}", count, shape);
}

int64_t most_matrices(const BlockBuilder& builder) {
    const bool joined =
        is_gated(builder.choices().mlp) && builder.model().topology == Topology::kParallel;
    return builder.choices().experts * (joined ? 2 : 1);
}

std::string router_label(const BlockBuilder& builder) {
    return fmt::format("router: {} of {}", builder.choices().top_k, builder.choices().experts);
}

double matrix_width(const BlockBuilder& builder) {
    double width = builder.column_width();
    for (const char* name : {"gate", "up", "down"})
        if (const Shape* shape = builder.tensor(matrix_name(builder, name))) {
            const std::string text = several(most_matrices(builder), shape_text(*shape));
            width = std::max(width, label_width(text, kNoteType) + 4);
        }
    if (has_router(builder))
        width = std::max(width, label_width(router_label(builder), kLabelType) + 4);
    return width;
}

/// The box of one matrix of every expert.
void add_matrix(BlockBuilder& b, const std::string& name, DrawRect rect, const std::string& label) {
    if (!b.add_tensor(name, matrix_name(b, name), BoxRole::kMlp, Ink::kPlain, rect, label)) return;
    DrawBox& box = b.drawing().boxes.back();
    box.note = several(b.choices().experts, box.note);
}

/// Up to `y` above the middle of a column, around a corner where the branch comes from beside it.
std::vector<DrawPoint> path_to(DrawPoint start, double centre, double y) {
    std::vector<DrawPoint> path{start};
    if (start.x != centre) {
        path.push_back({start.x, start.y + kGap / 2 - 1});
        path.push_back({centre, start.y + kGap / 2 - 1});
    }
    path.push_back({centre, y});
    return path;
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
        add_matrix(b, name, rect, label);
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
    add_matrix(b, "up", rect, "W_{up}");
    if (is_gated(b.choices().mlp)) {
        DrawBox& both = b.drawing().boxes.back();
        both.label = "W_{gate}, W_{up}";
        both.note = several(most_matrices(b), shape_text(*b.tensor(matrix_name(b, "up"))));
    }
    b.add_edge(from, b.id("up"), path_to(start, centre, y));
    y += BlockSizes::kTwoLines + kGap - 2;
    const double act = activation_width(b);
    b.add_box("act", BoxRole::kActivation, Ink::kPlain,
              {centre - act / 2, y, act, BlockSizes::kOneLine}, activation_label(b));
    b.add_edge(b.id("up"), b.id("act"), {{centre, y - kGap + 2}, {centre, y}});
    return {b.id("act"), {centre, y + BlockSizes::kOneLine}};
}

/// What chooses among the experts, whose matrices stand above it.
BranchEnd lay_out_router(BlockBuilder& b, const std::string& from, DrawPoint start, double centre) {
    const double width = matrix_width(b), y = start.y + kGap;
    b.add_tensor("router", "mlp.router.weight", BoxRole::kMlp, Ink::kPlain,
                 {centre - width / 2, y, width, BlockSizes::kTwoLines}, router_label(b));
    b.add_edge(from, b.id("router"), path_to(start, centre, y));
    return {b.id("router"), {centre, y + BlockSizes::kTwoLines}};
}

}  // namespace

double mlp_width(const BlockBuilder& builder) {
    const double width = matrix_width(builder);
    return has_two_arms(builder) ? 2 * width + 5 : width;
}

BranchEnd lay_out_mlp(BlockBuilder& b, const std::string& from, DrawPoint start, double centre) {
    const BranchEnd outer =
        has_router(b) ? lay_out_router(b, from, start, centre) : BranchEnd{from, start};
    const BranchEnd inner = has_two_arms(b) ? lay_out_gate(b, outer.from, outer.at, centre)
                                            : lay_out_plain(b, outer.from, outer.at, centre);
    const double width = matrix_width(b);
    const double y = inner.at.y + kGap - 2;
    add_matrix(b, "down", {centre - width / 2, y, width, BlockSizes::kTwoLines}, "W_{down}");
    b.add_edge(inner.from, b.id("down"), {inner.at, {centre, y}});
    return {b.id("down"), {centre, y + BlockSizes::kTwoLines}};
}

}  // namespace headroom
