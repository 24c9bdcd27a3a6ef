#pragma once

#include <vector>

#include "panels/architecture/architecture_view.h"
#include "panels/architecture/drawing_layout.h"
#include "panels/architecture/layer_rows.h"

namespace headroom {

/// Heads of one kind that run from one row to others, drawn as one rail beside the column.
struct Rail {
    Ink ink = Ink::kKeys;
    int source = 0;            ///< row
    std::vector<int> readers;  ///< rows above it, ascending
    int lane = 0;              ///< 0 = next to the column
};

/// All rails of a model, with lanes in which none covers another; short ones lie inside.
std::vector<Rail> find_rails(const ArchitectureView& view, const std::vector<LayerRow>& rows);

/// Where the column's rows stand, y growing upwards.
struct ColumnPlaces {
    static constexpr double kRowWidth = 66;

    double centre = 0;                  ///< x of the column
    double embedding = 0;               ///< y where the embedding's stream can be tapped
    std::vector<double> bottoms, tops;  ///< of the rows' boxes
    std::vector<double> outputs;        ///< where their streams can be tapped, if there is room
};

/// Room that the rails need on one side of the rows.
double width_of_rails(const std::vector<Rail>& rails, bool right);

/// The edges of all rails: values right of the rows, keys and latents left.
void add_rails(DrawingLayout& drawing, const std::vector<Rail>& rails,
               const std::vector<LayerRow>& rows, const ColumnPlaces& places);

/// DenseFormer: every stream that an average reads runs up right of `left`. A row that is left out
/// stands for all its layers. Returns how far right the rails reach.
double add_averages(DrawingLayout& drawing, const ArchitectureView& view,
                    const std::vector<LayerRow>& rows, const ColumnPlaces& places, double left);

}  // namespace headroom
