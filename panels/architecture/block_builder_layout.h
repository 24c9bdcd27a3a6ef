#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "panels/architecture/architecture_view.h"
#include "panels/architecture/drawing_layout.h"
#include "panels/architecture/type_sizes.h"

namespace headroom {

/// Sizes of a block's drawing, in points.
struct BlockSizes {
    static constexpr double kTwoLines = 18;  ///< height of a box with two lines
    static constexpr double kOneLine = 11;
    static constexpr double kGap = 6;  ///< between rows
    static constexpr double kStrip = 6;
    static constexpr double kCircle = 8;
    static constexpr double kMargin = 6;
    static constexpr double kSkipLane = 11;  ///< room for the skip left of the branch
};

/// Puts boxes and edges of one block into a drawing, row by row, y growing upwards. Attention and
/// MLP are laid out by functions of their own, which share this.
class BlockBuilder {
  public:
    BlockBuilder(const ArchitectureView& view, int kind, std::string prefix);

    const ModelConfig& model() const { return view_.model; }
    const LayerKind& kind() const { return view_.kinds[static_cast<size_t>(kind_)]; }
    int layer() const { return kind().layers.front(); }
    LayerChoices choices() const { return model().layer(layer()); }
    const LayerFacts& facts() const { return view_.layers[static_cast<size_t>(layer())]; }
    std::string id(const std::string& name) const { return prefix_ + name; }

    /// Shape of the block's tensor such as "attn.q.weight"; nullptr if there is none.
    const Shape* tensor(const std::string& name) const;

    DrawBox& add_box(const std::string& name, BoxRole role, Ink ink, DrawRect rect,
                     std::string label, std::string note = "");
    /// The box of a tensor with its size; false if the model has no such tensor.
    bool add_tensor(const std::string& name, const std::string& tensor_name, BoxRole role, Ink ink,
                    DrawRect rect, const std::string& label);
    DrawEdge& add_edge(const std::string& from, const std::string& to, std::vector<DrawPoint> path,
                       Ink ink = Ink::kPlain);
    void add_label(DrawLabel label) { drawing_.labels.push_back(std::move(label)); }
    /// A circle around a point.
    DrawRect circle(DrawPoint centre) const;

    DrawingLayout& drawing() { return drawing_; }
    /// Columns as wide as their widest size.
    double column_width() const { return column_width_; }

  private:
    const ArchitectureView& view_;
    int kind_;
    std::string prefix_;
    std::map<std::string, Shape> tensors_;
    double column_width_ = 34;
    DrawingLayout drawing_;
};

/// What a stretch of the block leaves behind: where its output stands and how high it reaches.
struct BranchEnd {
    std::string from;  ///< id of the last box
    DrawPoint at;      ///< where its output leaves
};

/// Attention above `y`, fed by `from` at {x, y}; its columns begin at `left`.
BranchEnd lay_out_attention(BlockBuilder& builder, const std::string& from, DrawPoint start,
                            double left);
double attention_width(const BlockBuilder& builder);

/// The MLP, centred on `centre`.
BranchEnd lay_out_mlp(BlockBuilder& builder, const std::string& from, DrawPoint start,
                      double centre);
double mlp_width(const BlockBuilder& builder);

}  // namespace headroom
