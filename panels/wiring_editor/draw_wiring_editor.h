#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "panels/base/theme.h"
#include "panels/wiring/wiring_camera.h"
#include "panels/wiring/wiring_ownership_view.h"
#include "panels/wiring_editor/rewire_map.h"
#include "panels/wiring_editor/wiring_editor_commands.h"
#include "panels/wiring_editor/wiring_spot.h"

namespace headroom {

/// What of a drawing is drawn: built once for each.
struct WiringEditorView {
    WiringView picture;
    WiringOwnership ownership;
    std::string counts;                       ///< one line
    std::shared_ptr<const RewireMap> rewire;  ///< of the run that it started from, or nullptr
};

/// What the mouse has begun and not ended.
struct WiringGesture {
    enum class Kind { kNone, kLink, kLasso };
    Kind kind = Kind::kNone;
    WiringSpot from;       ///< kLink: what is dragged
    WiringPoint start;     ///< in the picture
    bool besides = false;  ///< Ctrl was held as it began: the source is added
    bool marks = false;    ///< what is dragged was not marked, and is once it moves
};

/// What an edit would do, worked out once for each place that it points at.
struct WiringPreview {
    std::optional<SourcePick> pick;
    bool besides = false;
    int version = -1;
    std::string words, refusal;
};

/// What the person has set on the canvas; kept between frames.
struct WiringEditorSettings : WiringCamera {
    bool show_keys = true;
    bool show_values = true;
    WiringChoice choice;               ///< the brushes' options
    bool shift = false, ctrl = false;  ///< held now, whoever has the keyboard
    WiringGesture gesture;
    WiringPreview preview;
    WiringFrame drawn;  ///< where the picture was in the last frame
    std::optional<WiringLayout> layout;
    /// Centres of the tools in the last frame, by what stands on them; of brushes after "Paint ".
    std::map<std::string, ImVec2> tools;
    double typed_weight = 1.0;   ///< while it is dragged or typed
    std::optional<int> weighed;  ///< the source that typed_weight is of, -1 = the next link's
};

/// Draws tools, canvas and read-out into the current ImGui context, filling its display, and
/// returns what the person did: nothing of the editor changes here. Letters are pressed as their
/// ASCII codes.
WiringEditorCommands draw_wiring_editor(const WiringEditor& editor, const WiringEditorView& view,
                                        const Theme& theme, WiringEditorSettings& settings);

/// Mouse and keys over the canvas, the last item of the current window. `to_picture` turns its
/// pixels into places of the picture.
struct WiringEditorFrame {
    const WiringEditor& editor;
    const WiringEditorView& view;
    const WiringLayout& layout;
    WiringFrame place;
    ImVec2 corner, size;

    WiringPoint to_picture(ImVec2 pixel) const {
        return {(pixel.x - place.origin.x) / place.unit, (pixel.y - place.origin.y) / place.unit};
    }
    ImVec2 to_screen(WiringPoint point) const {
        return {place.origin.x + point.x * place.unit, place.origin.y + point.y * place.unit};
    }
};
void take_mouse(const WiringEditorFrame& frame, WiringEditorSettings& settings,
                WiringEditorCommands& commands);
void take_keys(const WiringEditorFrame& frame, WiringEditorSettings& settings,
               WiringEditorCommands& commands);
/// Marks, cursor, the line that is being drawn, or the lasso.
void paint_gesture(const WiringEditorFrame& frame, const WiringEditorSettings& settings,
                   const Theme& theme, ImDrawList& list);
bool fits(const RewireMap& map, const WiringEditor& editor);
/// Colours the places where marked heads could read by what the trained model loses by it.
/// REQUIRES: a map that fits.
void paint_losses(const WiringEditorFrame& frame, const Theme& theme, ImDrawList& list);
/// What a link costs the trained model, "" where that was not measured.
std::string loss_words(const WiringEditor& editor, const RewireMap& map, const SourcePick& pick);
/// Where the marked heads would read now: under the mouse while it drags, or at the cursor while a
/// source is asked for.
std::optional<SourcePick> pointed_pick(const WiringEditorFrame& frame,
                                       const WiringEditorSettings& settings);

}  // namespace headroom
