#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/account/memory_ledger.h"
#include "panels/memory/memory_figure.h"

namespace headroom {

/// A rectangle of the treemap, or a group of them. Its area stands for its bytes.
struct TreemapNode {
    std::string name;   ///< within its group: "attention", "layer 3"
    std::string label;  ///< what a large rectangle says: "L3 attention"
    int64_t bytes = 0;
    std::vector<TreemapNode> children{};
    int color = 0;                     ///< of part_color(): the heading's
    double tone = 0;                   ///< 0 = the full colour, 1 = none of it
    bool shared = false;               ///< a cache that other layers read, too
    std::string readers{};             ///< layers that read a cache, 1-based: "1, 3-12"
    std::vector<std::string> lines{};  ///< the read-out: what it is, how much, who reads it
};

struct TreemapModel {
    std::string name;
    TreemapNode root;        ///< headings, their layers, the parts of those
    std::string measured{};  ///< how a measurement agrees, "" if there is none
};

struct TreemapKey {
    std::string name;
    int color = 0;
    bool shared = false;
};

/// Where memory goes, of several models on one scale. Pure data.
struct TreemapView {
    std::vector<TreemapModel> models;
    std::vector<TreemapKey> legend;
    std::vector<std::string> notes;
    std::string empty_text;

    bool empty() const { return models.empty(); }
};

/// The ledger of one report as a tree; measured bytes stand in the read-outs.
TreemapModel treemap_model(const std::string& name, const MemoryReport& report);

/// Predictions for what the settings say; see memory_question(). Milliseconds per model.
TreemapView build_treemap(const std::vector<MemoryModel>& models,
                          const MemoryFigureSettings& settings);

/// model, heading, layer (1-based, empty for none), part, bytes, readers (layers, 1-based).
std::string treemap_csv(const TreemapView& view);

}  // namespace headroom
