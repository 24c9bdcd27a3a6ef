#pragma once

#include <optional>

#include "panels/wiring_editor/wiring_editor.h"

namespace headroom {

struct WiringMarking {
    HeadBox box;
    MarkMode mode = MarkMode::kReplace;
};

/// What a person did on the canvas in one frame.
struct WiringEditorCommands {
    std::optional<EditedTables> tables{};
    std::optional<PickedWeight> weight{};
    std::optional<WiringMarking> mark{};
    bool mark_all = false;
    bool clear_marks = false;
    std::optional<HeadId> cursor{};   ///< goes there
    std::optional<HeadId> stretch{};  ///< marks on its way there
    bool ask_source = false;
    bool adds_source = false;  ///< with ask_source: to what is read already
    bool stop_asking = false;
    std::optional<WiringEdit> edit{};  ///< of the marked heads, unless it names its own

    bool any() const {
        return tables || weight || mark || mark_all || clear_marks || cursor || stretch ||
               ask_source || stop_asking || edit;
    }
};

/// Does it all; true if the drawing changed. REQUIRES: an editor that is not empty.
bool perform(WiringEditor& editor, const WiringEditorCommands& commands);

}  // namespace headroom
