#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "panels/figure/figure.h"
#include "panels/figure/heatmap.h"

namespace headroom {

/// What `headroom probe ablation` measured of a trained model. Arrays are [n_layer, n_head], losses
/// in nats per token.
struct AblationMap {
    std::string run;
    int64_t step = -1;  ///< of training, -1 = unknown
    int n_layer = 0;
    int n_head = 0;
    double loss = 0;                            ///< as the model is
    std::vector<double> zero, mean, resampled;  ///< without the head, in three ways
    std::vector<double> similarity;             ///< largest cosine with a head of its layer
};

/// UserError if the file is no such probe.
AblationMap read_ablation_map(const std::filesystem::path& file);

/// How a head is left out.
enum class Ablation { kZero, kMean, kResampled };

/// The rise of the loss, a row for each layer and a column for each head.
HeatmapFigure ablation_figure(const AblationMap& map, Ablation ablation);

/// Each head a point: how alike another head of its layer is, and what the loss rises by without
/// it. Heads that nobody misses lie low, those that another could stand for far right.
Figure importance_figure(const AblationMap& map, Ablation ablation);

}  // namespace headroom
