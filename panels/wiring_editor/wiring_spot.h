#pragma once

#include <optional>

#include "panels/wiring/wiring_layout.h"
#include "panels/wiring_editor/wiring_editor.h"

namespace headroom {

/// What lies under a point of the picture: a head, or the number of a layer or of a head, which
/// stands for its row or column.
struct WiringSpot {
    KvTable lane = KvTable::kKeys;
    std::optional<int> layer, head;
    bool on_mark = false;  ///< on the mark of the head itself, or on a number

    bool operator==(const WiringSpot&) const = default;
};

std::optional<WiringSpot> spot_at(const WiringLayout& layout, const WiringView& view,
                                  WiringPoint point);

/// The heads that a spot stands for.
HeadBox box_of(const WiringSpot& spot, const WiringView& view);

/// The heads of the lane where `from` lies or is nearest that a rectangle reaches.
struct WiringLasso {
    KvTable lane = KvTable::kKeys;
    HeadBox box;
};
WiringLasso lasso_of(const WiringLayout& layout, const WiringView& view, WiringPoint from,
                     WiringPoint to);

/// Where heads read that are dragged from one spot to another: from the column where they were
/// taken up each reads its own number. None for the number of a head.
std::optional<SourcePick> pick_between(const WiringSpot& from, const WiringSpot& to);

/// The tables that are edited once something was touched in `lane`.
EditedTables tables_at(EditedTables tables, KvTable lane);

}  // namespace headroom
