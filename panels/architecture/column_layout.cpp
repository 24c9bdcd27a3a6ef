#include "panels/architecture/column_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "panels/architecture/label_text.h"
#include "panels/architecture/rails_layout.h"
#include "panels/architecture/type_sizes.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

constexpr double kRowHeight = 13, kRowGap = 6;
constexpr double kRowWidth = ColumnPlaces::kRowWidth;
constexpr double kBarWidth = 21, kBarHeight = 6.5, kBarInset = 3;
constexpr double kCircle = 7;

class ColumnLayout {
  public:
    ColumnLayout(const ArchitectureView& view, const std::vector<LayerRow>& rows)
        : view_(view), rows_(rows), rails_(find_rails(view, rows)) {
        const double left = view.model.tie ? 8 : 0;
        centre_ = left + width_of_rails(rails_, false) + half_width();
        places_.centre = centre_;
    }

    DrawingLayout build() {
        embedding();
        for (int i = 0; i < std::ssize(rows_); ++i) row(i);
        add_rails(drawing_, rails_, rows_, places_);
        double right = centre_ + kRowWidth / 2 + width_of_rails(rails_, true);
        if (view_.model.dense) right = add_averages(drawing_, view_, rows_, places_, right);
        most_right_ = std::max(most_right_, right);
        head();
        if (view_.model.tie) tied_edge();
        turn_over(drawing_);
        return std::move(drawing_);
    }

  private:
    double half_width() const {
        return view_.model.pos == Positions::kLearned ? std::max(kRowWidth / 2, table_width() + 3)
                                                      : kRowWidth / 2;
    }

    int streams() const {
        return view_.model.hyper == HyperKind::kNone ? 1 : static_cast<int>(view_.model.n_stream);
    }

    std::string rows_text(int64_t rows) const {
        return rows > 0 ? std::to_string(rows) : std::string("V");
    }
    bool images() const { return view_.model.reads_images(); }
    /// Of the table of tokens, or of what makes rows of patches.
    std::string table_note() const {
        const int64_t rows = images() ? view_.model.patch_width() : view_.model.vocab_size;
        return fmt::format("{} × {}", rows_text(rows), view_.model.d_model);
    }
    double table_width() const { return std::max(36.0, label_width(table_note(), kNoteType) + 5); }

    DrawBox& box(const std::string& id, BoxRole role, DrawRect rect, std::string label,
                 std::string note = "") {
        DrawBox box;
        box.id = id;
        box.role = role;
        box.rect = rect;
        box.label = std::move(label);
        box.note = std::move(note);
        drawing_.boxes.push_back(std::move(box));
        return drawing_.boxes.back();
    }
    DrawEdge& edge(EdgeKind kind, const std::string& from, const std::string& to,
                   std::vector<DrawPoint> path) {
        DrawEdge edge;
        edge.kind = kind;
        edge.from = from;
        edge.to = to;
        edge.path = std::move(path);
        drawing_.edges.push_back(std::move(edge));
        return drawing_.edges.back();
    }
    void label(const std::string& text, double x, double y, bool muted = true,
               Ink ink = Ink::kPlain, TextAlign align = TextAlign::kCentre) {
        drawing_.labels.push_back({text, {x, y}, kNoteType, align, ink, false, muted});
    }
    DrawRect circle(double y) const {
        return {centre_ - kCircle / 2, y - kCircle / 2, kCircle, kCircle};
    }

    void embedding() {
        const bool learned = view_.model.pos == Positions::kLearned;
        const double width = table_width(), height = 18, y = 13;
        const double x = learned ? centre_ - 2 - width : centre_ - width / 2;
        label(images() ? "patches" : "tokens", x + width / 2, 4);
        edge(EdgeKind::kFlow, "", "embedding", {{x + width / 2, 7.5}, {x + width / 2, y}});
        box("embedding", BoxRole::kEmbedding, {x, y, width, height},
            images() ? "Projection" : "Embedding", table_note())
            .tip = fmt::format("{}.weight [{}]{}", images() ? "patch" : "wte", table_note(),
                               view_.model.has_class_token() ? ", behind a class token" : "");
        y_ = y + height;
        at_ = "embedding";
        places_.embedding = y_ + 4;
        if (!learned) return;
        const std::string positions =
            fmt::format("{} × {}", view_.model.block_size, view_.model.d_model);
        const double right = centre_ + 2;
        box("positions", BoxRole::kEmbedding, {right, y, width, height}, "Positions", positions)
            .tip = "wpe.weight [" + positions + "]";
        const double sum = y_ + 7, radius = kCircle / 2;
        box("sum_positions", BoxRole::kSum, circle(sum), "");
        edge(EdgeKind::kFlow, "embedding", "sum_positions",
             {{x + width / 2, y_}, {x + width / 2, sum}, {centre_ - radius, sum}});
        edge(EdgeKind::kFlow, "positions", "sum_positions",
             {{right + width / 2, y_}, {right + width / 2, sum}, {centre_ + radius, sum}});
        y_ = sum + radius;
        at_ = "sum_positions";
        places_.embedding = y_ + 4;
    }

    /// The bars of keys and values, or of the latent, in a layer's box.
    void bars(const DrawBox& row, const LayerFacts& facts) {
        const DrawRect r = row.rect;
        const std::string parent = row.id;
        const double y = r.y + (r.h - kBarHeight) / 2;
        const auto bar = [&](const char* name, Ink ink, double x, std::vector<HeadRole> heads) {
            DrawBox& strip = box(parent + name, BoxRole::kHeads, {x, y, kBarWidth, kBarHeight}, "");
            strip.parent = parent;
            strip.ink = ink;
            strip.heads = std::move(heads);
        };
        if (facts.latent) {
            constexpr int kCells = 16;
            std::vector<HeadRole> cells(
                kCells, facts.latent->source < 0 ? HeadRole::kNone : HeadRole::kReused);
            std::fill_n(cells.begin(),
                        kCells * facts.latent->own / std::max<int64_t>(facts.latent->width, 1),
                        HeadRole::kOwn);
            bar(".latent", Ink::kLatent, r.x + kBarInset, std::move(cells));
            return;
        }
        bar(".keys", Ink::kKeys, r.x + kBarInset, facts.keys.heads);
        bar(".values", Ink::kValues, r.right() - kBarInset - kBarWidth, facts.values.heads);
    }

    void row(int index) {
        const LayerRow& row = rows_[static_cast<size_t>(index)];
        const double gap = index == 0 ? kRowGap + 2 + (view_.model.dense ? 5 : 0) : kRowGap;
        const double y = y_ + gap;
        const std::string id = fmt::format("layer.{}", row.layers.front());
        edge(EdgeKind::kFlow, at_, id, {{centre_, y_}, {centre_, y}}).lines = streams();
        const bool several = row.layers.size() > 1;
        const std::string number = several ? fmt::format("{}–{}", shown_number(row.layers.front()),
                                                         shown_number(row.layers.back()))
                                           : std::to_string(shown_number(row.layers.front()));
        const LayerFacts& facts = view_.layers[static_cast<size_t>(row.layers.front())];
        DrawBox& layer = box(id, row.dots ? BoxRole::kDots : BoxRole::kLayer,
                             {centre_ - kRowWidth / 2, y, kRowWidth, kRowHeight}, number);
        layer.layers = row.layers;
        layer.tip = tip(row);
        layer.changed = std::any_of(row.layers.begin(), row.layers.end(),
                                    [&](int l) { return view_.layers[l].changed; });
        places_.tops.push_back(y + kRowHeight);
        places_.bottoms.push_back(y);
        y_ = y + kRowHeight;
        at_ = id;
        if (!row.dots) {
            const DrawBox copy = layer;
            bars(copy, facts);
        }
        if (view_.model.share_layers) loop(id, y);
        if (view_.model.dense) y_ = average(row, y_);
    }

    static std::string tip(const LayerRow& row) {
        return name_layers(row.layers) + (row.dots ? ": like those above and below" : "");
    }

    /// The way back of layers that share their weights.
    void loop(const std::string& id, double y) {
        const double side = centre_ + kRowWidth / 2, x = side + 6;
        edge(EdgeKind::kLoop, id, id,
             {{side, y + kRowHeight - 3}, {x, y + kRowHeight - 3}, {x, y + 3}, {side, y + 3}});
        label(fmt::format("× {}", view_.model.n_layer), x + 3, y + kRowHeight / 2, false,
              Ink::kPlain, TextAlign::kLeft);
        most_right_ = std::max(most_right_, x + 22);
    }

    /// Room for the average after a block and its circle. Returns the new height.
    double average(const LayerRow& row, double y) {
        places_.outputs.push_back(y + 3.5);
        const bool any = !row.dots && !view_.layers[row.layers.front()].averaged.empty();
        const double at = y + 10;
        if (!any) return y + 4;
        const std::string id = fmt::format("average.{}", row.layers.front());
        box(id, BoxRole::kAverage, circle(at), "").ink = Ink::kDense;
        edge(EdgeKind::kFlow, at_, id, {{centre_, y}, {centre_, at - kCircle / 2}});
        at_ = id;
        return at + kCircle / 2;
    }

    void sum_streams() {
        const double y = y_ + 10;
        box("sum_streams", BoxRole::kSum, circle(y), "");
        edge(EdgeKind::kFlow, at_, "sum_streams", {{centre_, y_ - 3}, {centre_, y - kCircle / 2}})
            .lines = streams();
        label(fmt::format("sum of {}", streams()), centre_ + 6, y, true, Ink::kPlain,
              TextAlign::kLeft);
        at_ = "sum_streams";
        y_ = y + kCircle / 2 + 3;
    }

    void head() {
        const ModelConfig& m = view_.model;
        const double letters = places_.tops.back() + (m.dense ? 6.8 : 4.5);
        if (m.mla) {
            label("c", centre_ - kRowWidth / 2 + kBarInset + kBarWidth / 2, letters, false,
                  Ink::kLatent);
        } else {
            label("K", centre_ - kRowWidth / 2 + kBarInset + kBarWidth / 2, letters, false,
                  Ink::kKeys);
            label("V", centre_ + kRowWidth / 2 - kBarInset - kBarWidth / 2, letters, false,
                  Ink::kValues);
        }
        y_ += 3;
        if (streams() > 1) sum_streams();
        if (m.norm_f != NormKind::kNone) {
            const double y = y_ + 7;
            box("ln_f", BoxRole::kNorm, {centre_ - 22, y, 44, 11}, norm_text(m.norm_f));
            edge(EdgeKind::kFlow, at_, "ln_f", {{centre_, y_ - 3}, {centre_, y}});
            y_ = y + 11;
            at_ = "ln_f";
        } else {
            y_ += 4;
        }
        const double start = m.norm_f != NormKind::kNone ? y_ : y_ - 7;
        const std::string note =
            m.tie ? "W_{E}^{T} (tied)" : fmt::format("{} × {}", m.d_model, rows_text(m.vocab_size));
        const double y = y_ + 6, width = std::max(48.0, label_width(note, kNoteType) + 5);
        box("head", BoxRole::kEmbedding, {centre_ - width / 2, y, width, 18}, "Head", note).tip =
            m.tie ? "The head is the embedding's transpose; it has no weights of its own"
                  : fmt::format("{}.weight [{}]", images() ? "head" : "lm_head", note);
        edge(EdgeKind::kFlow, at_, "head", {{centre_, start}, {centre_, y}});
        y_ = y + 18;
        edge(EdgeKind::kFlow, "head", "", {{centre_, y_}, {centre_, y_ + 6}});
        label("logits", centre_, y_ + 10.5);
        drawing_.height = y_ + 14;
        drawing_.width = std::max(most_right_, centre_ + half_width() + 1);
    }

    void tied_edge() {
        const DrawRect head = drawing_.find("head")->rect, table = drawing_.find("embedding")->rect;
        const double x = 2.5;
        edge(EdgeKind::kTied, "embedding", "head",
             {{table.x, table.centre().y},
              {x, table.centre().y},
              {x, head.centre().y},
              {head.x, head.centre().y}});
    }

    const ArchitectureView& view_;
    const std::vector<LayerRow>& rows_;
    std::vector<Rail> rails_;
    ColumnPlaces places_;
    DrawingLayout drawing_;
    double centre_ = 0, y_ = 0, most_right_ = 0;
    std::string at_;  ///< id of the box below
};

}  // namespace

DrawingLayout lay_out_column(const ArchitectureView& view, const std::vector<LayerRow>& rows) {
    return ColumnLayout(view, rows).build();
}

}  // namespace headroom
