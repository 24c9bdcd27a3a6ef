#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panels/inspector/inspector_settings.h"
#include "panels/inspector/map_source.h"

namespace headroom {

/// One run in the inspector.
struct InspectorPane {
    std::string name;
    MapSourcePointer source;  ///< null: nothing to show yet
    std::string note;         ///< why there is nothing, or what went wrong
    bool can_probe = false;   ///< a checkpoint is there to be probed
    bool busy = false;        ///< a probe is at work

    bool operator==(const InspectorPane&) const = default;
};

/// What is drawn: immutable, made anew when a record arrives.
struct InspectorView {
    std::vector<InspectorPane> panes;        ///< at most four; the first is A
    std::vector<InspectorPane> differences;  ///< each other one minus A

    size_t label_letters = 0;  ///< of the longest label on the axes of tokens
    /// Of A, or of the first run that has any.
    const MapInfo* info() const;
};

inline constexpr size_t kMostPanes = 4;

/// Layers and heads that there are to choose from: those of the largest model, in either.
struct HeadGrid {
    int n_layer = 0, n_head = 0;

    bool has(HeadId head) const { return head.layer < n_layer && head.head < n_head; }
};
HeadGrid head_grid(std::span<const InspectorPane* const> panes);
bool has_head(const InspectorPane& pane, HeadId head);
/// Whose heads the thumbnails are of, as all are of one model: the first pane that has every head
/// of the grid, else the first with anything to show; null without.
const InspectorPane* pane_of_atlas(std::span<const InspectorPane* const> panes);

InspectorView build_inspector_view(std::vector<InspectorPane> panes);

/// Of how many runs the frames of a mode have room for the maps.
size_t most_runs(CompareMode mode);

/// The mode that so many runs allow.
CompareMode effective_mode(const InspectorView& view, CompareMode wanted);
/// What each frame on the screen shows: one run, several, or differences.
std::vector<const InspectorPane*> shown_panes(const InspectorView& view, CompareMode wanted);

/// Whether the frames show what a query attends to over the picture: all that is shown is of
/// images.
bool shows_pictures(const InspectorView& view, const InspectorSettings& settings);

/// Whether every record that is shown keeps its picture.
bool have_pictures(const InspectorView& view, const InspectorSettings& settings);

/// The colours of all maps that are shown together: one scale, so that equal colours mean equal
/// values. Statistics that are not there yet are null.
ColorScale shared_scale(const InspectorSettings& settings, bool both_signs,
                        std::span<const HeadStatistics* const> statistics);

}  // namespace headroom
