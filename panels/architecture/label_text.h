#pragma once

#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/config/model_config.h"
#include "panels/architecture/architecture_view.h"

namespace headroom {

/// A stretch of a label at one height.
struct LabelRun {
    enum Place { kBase, kBelow, kAbove } place = kBase;
    std::string text;

    bool operator==(const LabelRun&) const = default;
};

/// "W_{Q}x" as {W}{Q below}{x}.
std::vector<LabelRun> split_label(const std::string& label);

/// Size of subscripts in their label's.
constexpr double kSubscript = 0.74;

/// About how wide a label is, in points; the painter narrows what turns out wider than its box.
double label_width(const std::string& label, double points);

std::string shape_text(const Shape& shape);        ///< "768 × 3072"
std::string scale_text(double scale);              ///< "1/8", "1/√60", "0.031"
std::string norm_text(NormKind kind);              ///< "LayerNorm"
std::string activation_text(MlpKind kind);         ///< "GELU", of the gate for gated ones
std::string weight_text(const LayerShare& share);  ///< "0.5", "λ", "(1−λ)"

/// Two lines on what a lane takes from other layers, such as "6 heads" / "layer 1".
/// `of` is the kind whose first layer this is: sources that differ between its layers are told as
/// distances.
struct SourceText {
    std::string label, note;
};
SourceText source_text(const LaneFacts& lane, const LayerKind& of, char letter);

/// "layer 1", or "layer before", "2 layers before".
std::string layer_text(int source, const LayerKind& of);

}  // namespace headroom
