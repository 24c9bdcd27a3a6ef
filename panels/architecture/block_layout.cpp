#include "panels/architecture/block_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "panels/architecture/block_builder_layout.h"
#include "panels/architecture/label_text.h"

namespace headroom {
namespace {

using Sizes = BlockSizes;

constexpr double kBlockTitle = 7;  ///< type size
constexpr double kStub = 8;        ///< of the stream outside the frame
constexpr double kNormWidth = 44;
constexpr double kStreamLane = 18;  ///< room for the streams of hyper-connections

/// A branch with its norm and, where there is one, the skip around it.
class BlockLayout {
  public:
    BlockLayout(const ArchitectureView& view, int kind, const std::string& prefix)
        : b_(view, kind, prefix) {}

    DrawingLayout build() {
        const ModelConfig& m = b_.model();
        const bool parallel = m.topology == Topology::kParallel;
        const double attention = attention_width(b_), mlp = mlp_width(b_);
        const double beside = parallel ? beside_width() + 10 : 0;
        streams_ = m.hyper == HyperKind::kNone ? 1 : static_cast<int>(m.n_stream);
        at_lines_ = streams_;
        const LayerChoices choices = b_.choices();
        const bool skips = choices.skip_attn || choices.skip_mlp || is_hyper();
        left_ = Sizes::kMargin + (is_hyper() ? kStreamLane : skips ? Sizes::kSkipLane : 2);
        const double inner = parallel ? attention : std::max(attention, mlp);
        width_ = left_ + inner + beside + Sizes::kMargin;
        centre_ = left_ + inner / 2;
        attention_left_ = centre_ - attention / 2;
        // The frame stands first: what lies in it is drawn later.
        DrawBox& frame = b_.add_box("frame", BoxRole::kFrame, Ink::kPlain, {}, "");
        frame.parent.clear();
        frame.layers = b_.kind().layers;
        at_ = {"", {centre_, 0}};
        DrawEdge& entry = b_.add_edge("", b_.id("frame"), {{centre_, -kStub}, {centre_, 0}});
        entry.arrow = false;
        entry.lines = streams_;
        if (parallel) {
            parallel_branches();
        } else {
            branch("attn", choices.skip_attn, "ln_1", true);
            branch("mlp", choices.skip_mlp, "ln_2", false);
        }
        average();
        return finish();
    }

  private:
    /// From where the stream stands on, straight up to a box.
    void lead_to(const std::string& box, double y) {
        b_.add_edge(at_.from, b_.id(box), {at_.at, {centre_, y}}).lines = at_lines_;
    }

    bool has_two_norms() const {
        return b_.model().has_mlp_norm() && b_.choices().norm != NormKind::kNone;
    }

    /// Of an MLP beside attention.
    double beside_width() const {
        return has_two_norms() ? std::max(mlp_width(b_), kNormWidth) : mlp_width(b_);
    }

    bool is_hyper() const { return b_.model().hyper != HyperKind::kNone; }

    /// Weights of hyper-connections on the way: what reads the streams, what writes to them.
    void mix(const std::string& name, const std::string& tensor, const std::string& label) {
        const double y = at_.at.y + Sizes::kGap, width = label_width(label, kLabelType) + 10;
        add_mixing(name, tensor, {centre_ - width / 2, y, width, Sizes::kOneLine}, label);
        lead_to(name, y);
        at_ = {b_.id(name), {centre_, y + Sizes::kOneLine}};
    }

    void add_mixing(const std::string& name, const std::string& tensor, DrawRect rect,
                    const std::string& label) {
        DrawBox& box = b_.add_box(name, BoxRole::kMixing, Ink::kDense, rect, label);
        if (const Shape* shape = b_.tensor(tensor))
            box.tip = fmt::format("h.{}.{} [{}]", b_.layer(), tensor, shape_text(*shape));
    }

    /// Leads the stream a little further.
    void stretch(double by) {
        const DrawPoint up{centre_, at_.at.y + by};
        DrawEdge& edge = b_.add_edge(at_.from, "", {at_.at, up});
        edge.arrow = false;
        edge.lines = at_lines_;
        at_.at = up;
    }

    /// The norm, or a stretch in which the skip can part from what follows.
    void norm_or_room(const std::string& name, bool skip) {
        const NormKind norm = b_.choices().norm;
        if (norm == NormKind::kNone) {
            if (skip) stretch(4);
            return;
        }
        const double y = at_.at.y + Sizes::kGap;
        lead_to(name, y);
        at_ = add_norm(name, centre_, y);
    }

    BranchEnd add_norm(const std::string& name, double centre, double y) {
        DrawBox& box = b_.add_box(name, BoxRole::kNorm, Ink::kPlain,
                                  {centre - kNormWidth / 2, y, kNormWidth, Sizes::kOneLine},
                                  norm_text(b_.choices().norm));
        if (const Shape* shape = b_.tensor(name + ".weight"))
            box.tip = fmt::format("h.{}.{}.weight [{}]", b_.layer(), name, shape_text(*shape));
        return {b_.id(name), {centre, y + Sizes::kOneLine}};
    }

    /// The norm of an MLP beside attention, on what attention's norm reads.
    BranchEnd norm_beside(const BranchEnd& input, double centre) {
        const double y = input.at.y + Sizes::kGap, bend = input.at.y + Sizes::kGap / 2 - 1;
        b_.add_edge(input.from, b_.id("ln_2"),
                    {input.at, {input.at.x, bend}, {centre, bend}, {centre, y}});
        return add_norm("ln_2", centre, y);
    }

    /// The sum at the end of a branch, and the way around the branch from `fork` to it.
    void join(const std::string& name, const BranchEnd& fork) {
        const double radius = Sizes::kCircle / 2;
        const double y = at_.at.y + Sizes::kGap - 2 + radius;
        b_.add_box(name, BoxRole::kSum, Ink::kPlain, b_.circle({centre_, y}), "");
        lead_to(name, y - radius);
        const double lane = Sizes::kMargin + (is_hyper() ? kStreamLane / 2 - 2 : 2);
        DrawEdge& skip = b_.add_edge(
            fork.from, b_.id(name),
            {{centre_, fork.at.y + 2}, {lane, fork.at.y + 2}, {lane, y}, {centre_ - radius, y}});
        skip.kind = EdgeKind::kSkip;
        skip.lines = streams_;
        at_lines_ = streams_;
        at_ = {b_.id(name), {centre_, y + radius}};
    }

    void branch(const std::string& name, bool skip, const std::string& norm_name, bool attention) {
        if (is_hyper()) stretch(4);
        const BranchEnd fork = at_;
        read_stream(name);
        norm_or_room(norm_name, skip && !is_hyper());
        at_ = attention ? lay_out_attention(b_, at_.from, at_.at, attention_left_)
                        : lay_out_mlp(b_, at_.from, at_.at, centre_);
        end_branch(name, skip, fork);
    }

    /// What a branch reads of several streams.
    void read_stream(const std::string& name) {
        if (!is_hyper()) return;
        mix("hc_" + name + "_a", "hc_" + name + ".a", "a^{T}S");
        at_lines_ = 1;
    }

    void end_branch(const std::string& name, bool skip, const BranchEnd& fork) {
        if (is_hyper()) mix("hc_" + name + "_b", "hc_" + name + ".b", "b");
        if (skip || is_hyper()) join("sum_" + name, fork);
        if (!is_hyper()) return;
        const double lane = Sizes::kMargin + kStreamLane / 2 - 2;
        const double y = (fork.at.y + at_.at.y) / 2 - Sizes::kOneLine / 2;
        add_mixing("hc_" + name + "_r", "hc_" + name + ".r", {lane - 6, y, 12, Sizes::kOneLine},
                   "R");
    }

    /// Attention and MLP beside each other on one input; their sum, with one skip around both.
    void parallel_branches() {
        if (is_hyper()) stretch(4);
        const BranchEnd fork = at_;
        read_stream("attn");
        const BranchEnd input = at_;
        norm_or_room("ln_1", b_.choices().skip_attn && !is_hyper());
        const double mlp_centre = width_ - Sizes::kMargin - beside_width() / 2;
        const BranchEnd read = has_two_norms() ? norm_beside(input, mlp_centre) : at_;
        const BranchEnd mlp = lay_out_mlp(b_, read.from, read.at, mlp_centre);
        at_ = lay_out_attention(b_, at_.from, at_.at, attention_left_);
        if (is_hyper()) {  // the streams are written with the sum of both
            sum_up("sum_branches");
            join_mlp(mlp, "sum_branches");
            end_branch("attn", true, fork);
            return;
        }
        if (b_.choices().skip_attn)
            end_branch("attn", true, fork);
        else
            sum_up("sum_attn");
        join_mlp(mlp, "sum_attn");
    }

    /// A circle above what was drawn last.
    void sum_up(const std::string& name) {
        const double y = at_.at.y + Sizes::kGap - 2;
        b_.add_box(name, BoxRole::kSum, Ink::kPlain, b_.circle({centre_, y + Sizes::kCircle / 2}),
                   "");
        lead_to(name, y);
        at_ = {b_.id(name), {centre_, y + Sizes::kCircle}};
    }

    void join_mlp(const BranchEnd& mlp, const std::string& sum) {
        const double sum_y = at_.at.y - Sizes::kCircle / 2;
        b_.add_edge(mlp.from, b_.id(sum),
                    {mlp.at, {mlp.at.x, sum_y}, {centre_ + Sizes::kCircle / 2, sum_y}});
    }

    /// DenseFormer: what leaves the block is averaged with what left those before.
    void average() {
        if (b_.facts().averaged.empty()) return;
        const double y = at_.at.y + Sizes::kGap + Sizes::kCircle / 2;
        b_.add_box("average", BoxRole::kAverage, Ink::kDense, b_.circle({centre_, y}), "").tip =
            "DenseFormer: the weighted sum of this block's output and those before";
        lead_to("average", y - Sizes::kCircle / 2);
        DrawEdge& edge = b_.add_edge("", b_.id("average"),
                                     {{width_, y}, {centre_ + Sizes::kCircle / 2, y}}, Ink::kDense);
        edge.kind = EdgeKind::kAverage;
        b_.add_label(
            {"earlier outputs", {width_ - 4, y - 5}, kNoteType, TextAlign::kRight, Ink::kDense});
        at_ = {b_.id("average"), {centre_, y + Sizes::kCircle / 2}};
    }

    /// The frame, what leads out of it, and the title above, raised where the way out is in its
    /// way.
    DrawingLayout finish() {
        const double top = at_.at.y + Sizes::kGap;
        b_.add_edge(at_.from, "", {at_.at, {centre_, top + kStub}}).lines = at_lines_;
        const std::string title = name_layers(b_.kind().layers);
        const bool in_the_way = label_width(title, kBlockTitle) * 1.08 > centre_ - 5;
        const double title_y = top + (in_the_way ? kStub + 5 : 6);
        b_.add_label({title, {1, title_y}, kBlockTitle, TextAlign::kLeft, Ink::kPlain, true});
        DrawingLayout& drawing = b_.drawing();
        drawing.boxes.front().rect = {0, 0, width_, top};
        drawing.width = width_;
        move_by(drawing, 0, kStub);
        drawing.height = kStub + title_y + 5;
        turn_over(drawing);
        return std::move(drawing);
    }

    BlockBuilder b_;
    int streams_ = 1, at_lines_ = 1;
    double left_ = 0, width_ = 0, centre_ = 0, attention_left_ = 0;
    BranchEnd at_;
};

}  // namespace

DrawingLayout lay_out_block(const ArchitectureView& view, int kind, const std::string& prefix) {
    return BlockLayout(view, kind, prefix).build();
}

}  // namespace headroom
