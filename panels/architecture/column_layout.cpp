#include "panels/architecture/column_layout.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "panels/architecture/label_text.h"

namespace headroom {
namespace {

constexpr double kLabel = 6.6, kNote = 5.6;
constexpr double kRowWidth = 66, kRowHeight = 13, kRowGap = 6;
constexpr double kBarWidth = 21, kBarHeight = 6.5, kBarInset = 3;
constexpr double kRailStart = 6, kRailStep = 5;
constexpr double kAverageGap = 17;  ///< between rows where streams are averaged
constexpr double kStreamStep = 3.4, kCircle = 7;
constexpr double kStub = 2.2;  ///< of edges that enter and leave one side, from its middle

class ColumnLayout {
  public:
    ColumnLayout(const ArchitectureView& view, const std::vector<LayerRow>& rows)
        : view_(view), rows_(rows), rails_(find_rails(view, rows)) {
        for (const Rail& rail : rails_) {
            int& lanes = rail.ink == Ink::kValues ? right_lanes_ : left_lanes_;
            lanes = std::max(lanes, rail.lane + 1);
        }
        const double left = view.model.tie ? 8 : 0;
        const double lanes = left_lanes_ > 0 ? kRailStart + left_lanes_ * kRailStep : 2;
        centre_ = left + lanes + half_width();
    }

    DrawingLayout build() {
        embedding();
        for (int i = 0; i < std::ssize(rows_); ++i) row(i);
        for (const Rail& rail : rails_) draw_rail(rail);
        if (view_.model.dense) averages();
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
    std::string table_note() const {
        return fmt::format("{} × {}", rows_text(view_.model.vocab_size), view_.model.d_model);
    }
    double table_width() const { return std::max(36.0, label_width(table_note(), kNote) + 5); }

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
        drawing_.labels.push_back({text, {x, y}, kNote, align, ink, false, muted});
    }
    DrawRect circle(double y) const {
        return {centre_ - kCircle / 2, y - kCircle / 2, kCircle, kCircle};
    }

    void embedding() {
        const bool learned = view_.model.pos == Positions::kLearned;
        const double width = table_width(), height = 18, y = 13;
        const double x = learned ? centre_ - 2 - width : centre_ - width / 2;
        label("tokens", x + width / 2, 4);
        edge(EdgeKind::kFlow, "", "embedding", {{x + width / 2, 7.5}, {x + width / 2, y}});
        box("embedding", BoxRole::kEmbedding, {x, y, width, height}, "Embedding", table_note())
            .tip = "wte.weight [" + table_note() + "]";
        y_ = y + height;
        at_ = "embedding";
        embedding_top_ = y_ + 4;
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
        embedding_top_ = y_ + 4;
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
        const std::string number =
            several ? fmt::format("{}–{}", row.layers.front() + 1, row.layers.back() + 1)
                    : std::to_string(row.layers.front() + 1);
        const LayerFacts& facts = view_.layers[static_cast<size_t>(row.layers.front())];
        DrawBox& layer = box(id, row.dots ? BoxRole::kDots : BoxRole::kLayer,
                             {centre_ - kRowWidth / 2, y, kRowWidth, kRowHeight}, number);
        layer.layers = row.layers;
        layer.tip = tip(row);
        layer.changed = std::any_of(row.layers.begin(), row.layers.end(),
                                    [&](int l) { return view_.layers[l].changed; });
        tops_.push_back(y + kRowHeight);
        bottoms_.push_back(y);
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
        outputs_.push_back(y + 3.5);
        const bool any = !row.dots && !view_.layers[row.layers.front()].averaged.empty();
        const double at = y + 10;
        if (!any) return y + 4;
        const std::string id = fmt::format("average.{}", row.layers.front());
        box(id, BoxRole::kAverage, circle(at), "").ink = Ink::kDense;
        edge(EdgeKind::kFlow, at_, id, {{centre_, y}, {centre_, at - kCircle / 2}});
        at_ = id;
        return at + kCircle / 2;
    }

    double rail_x(const Rail& rail) const {
        const double away = kRowWidth / 2 + kRailStart + rail.lane * kRailStep;
        return rail.ink == Ink::kValues ? centre_ + away : centre_ - away;
    }

    double middle_of(int row) const {
        return (tops_[static_cast<size_t>(row)] + bottoms_[static_cast<size_t>(row)]) / 2;
    }

    /// Where an edge enters a row: several from different sources lie one above the other.
    double entry_of(int row, const Rail& rail) const {
        int count = 0, place = 0;
        bool also_source = false;
        for (const Rail& other : rails_) {
            if (other.ink != rail.ink) continue;
            if (other.source == row) also_source = true;
            if (!std::binary_search(other.readers.begin(), other.readers.end(), row)) continue;
            if (&other == &rail) place = count;
            ++count;
        }
        const double middle = middle_of(row) - (also_source ? kStub : 0);
        const double room = also_source ? 4.4 : 8.8;
        return count == 1 ? middle : middle + room * ((place + 0.5) / count - 0.5);
    }

    double exit_of(int row, const Rail& rail) const {
        for (const Rail& other : rails_)
            if (other.ink == rail.ink &&
                std::binary_search(other.readers.begin(), other.readers.end(), row))
                return middle_of(row) + 1.6 * kStub;
        return middle_of(row);
    }

    void draw_rail(const Rail& rail) {
        const double side = rail.ink == Ink::kValues ? 1 : -1;
        const double at_box = centre_ + side * kRowWidth / 2, x = rail_x(rail);
        const double start = exit_of(rail.source, rail);
        for (const int reader : rail.readers) {
            const double end = entry_of(reader, rail);
            DrawEdge& drawn = edge(EdgeKind::kReuse, row_id(rail.source), row_id(reader),
                                   {{at_box, start}, {x, start}, {x, end}, {at_box, end}});
            drawn.ink = rail.ink;
            drawn.dots = true;
        }
        most_right_ = std::max(most_right_, x + 3);
    }

    /// What an average after a row reads, as rows: -1 the embedding. A row that is left out stands
    /// for all its layers; what comes straight from the row itself needs no detour.
    std::set<int> averaged_rows(int row) const {
        std::set<int> sources;
        for (const int layer : rows_[static_cast<size_t>(row)].layers)
            for (const int stream : view_.layers[static_cast<size_t>(layer)].averaged)
                sources.insert(stream == 0 ? -1 : row_of(rows_, stream - 1));
        sources.erase(row);
        return sources;
    }

    /// DenseFormer: every stream that an average reads runs up beside the column.
    void averages() {
        const double base = centre_ + kRowWidth / 2 + kRailStart + right_lanes_ * kRailStep + 1;
        std::map<int, double> rails;  // by the row that the stream leaves
        for (int row = 0; row < std::ssize(rows_); ++row) {
            const LayerRow& to_row = rows_[static_cast<size_t>(row)];
            const std::string to =
                fmt::format("{}.{}", to_row.dots ? "layer" : "average", to_row.layers.front());
            const DrawBox* end = drawing_.find(to);
            for (const int source : averaged_rows(row)) {
                const double x =
                    rails
                        .try_emplace(source, base + kStreamStep * static_cast<double>(rails.size()))
                        .first->second;
                const double from_y =
                    source < 0 ? embedding_top_ : outputs_[static_cast<size_t>(source)];
                const double y = end->rect.centre().y;
                DrawEdge& drawn =
                    edge(EdgeKind::kAverage, source < 0 ? "embedding" : row_id(source), to,
                         {{centre_, from_y}, {x, from_y}, {x, y}, {end->rect.right(), y}});
                drawn.ink = Ink::kDense;
                drawn.dots = true;
            }
        }
        if (!rails.empty())
            most_right_ =
                std::max(most_right_, base + kStreamStep * static_cast<double>(rails.size()));
    }

    std::string row_id(int row) const {
        return fmt::format("layer.{}", rows_[static_cast<size_t>(row)].layers.front());
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
        const double letters = tops_.back() + (m.dense ? 6.8 : 4.5);
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
        const double y = y_ + 6, width = std::max(48.0, label_width(note, kNote) + 5);
        box("head", BoxRole::kEmbedding, {centre_ - width / 2, y, width, 18}, "Head", note).tip =
            m.tie ? "The head is the embedding's transpose; it has no weights of its own"
                  : "lm_head.weight [" + note + "]";
        edge(EdgeKind::kFlow, at_, "head", {{centre_, start}, {centre_, y}});
        y_ = y + 18;
        edge(EdgeKind::kFlow, "head", "", {{centre_, y_}, {centre_, y_ + 6}});
        label("logits", centre_, y_ + 10.5);
        drawing_.height = y_ + 14;
        const double rails = right_lanes_ > 0 ? kRailStart + right_lanes_ * kRailStep : 2;
        drawing_.width =
            std::max({most_right_, centre_ + half_width() + 1, centre_ + kRowWidth / 2 + rails});
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
    int left_lanes_ = 0, right_lanes_ = 0;
    DrawingLayout drawing_;
    double centre_ = 0, y_ = 0, most_right_ = 0, embedding_top_ = 0;
    std::string at_;  ///< id of the box below
    std::vector<double> bottoms_, tops_, outputs_;
};

}  // namespace

DrawingLayout lay_out_column(const ArchitectureView& view, const std::vector<LayerRow>& rows) {
    return ColumnLayout(view, rows).build();
}

}  // namespace headroom
