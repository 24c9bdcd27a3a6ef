#pragma once

#include <string>
#include <vector>

#include "panels/wiring/wiring_view.h"

namespace headroom {

/// Lengths of a drawing are points (1/72 inch) at its natural size; y grows downwards.
struct DrawPoint {
    double x = 0;
    double y = 0;

    bool operator==(const DrawPoint&) const = default;
};

struct DrawRect {
    double x = 0;
    double y = 0;
    double w = 0;
    double h = 0;

    double right() const { return x + w; }
    double bottom() const { return y + h; }
    DrawPoint centre() const { return {x + w / 2, y + h / 2}; }
    bool contains(DrawPoint p) const {
        return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom();
    }
    bool operator==(const DrawRect&) const = default;
};

/// What a box stands for; the painter's colours and shapes follow from it.
enum class BoxRole {
    kFrame,      ///< around the detail of one block
    kLayer,      ///< one layer in the column
    kDots,       ///< layers that are left out because they repeat what is above and below
    kEmbedding,  ///< tables and the head
    kNorm,
    kQuery,  ///< projections that exist
    kKey,
    kValue,
    kLatent,
    kOutput,
    kIdentity,  ///< a projection that does not exist: its input passes through
    kSource,    ///< heads that come from another layer, or from nowhere
    kHeads,     ///< a strip of heads: see DrawBox::heads
    kRotary,
    kAttention,
    kMlp,
    kActivation,
    kSum,      ///< a circle with a plus
    kProduct,  ///< a circle with a dot
    kAverage,  ///< a circle with a sigma
    kMixing,   ///< weights of hyper-connections
};

/// What flows along an edge, or whose colour a box wears.
enum class Ink { kPlain, kQuery, kKeys, kValues, kLatent, kDense };

/// Labels may hold `_{subscript}` and `^{superscript}`.
struct DrawBox {
    std::string id;      ///< the same for the same part of another model
    std::string parent;  ///< id of the box that it lies in, "" for none
    BoxRole role = BoxRole::kNorm;
    Ink ink = Ink::kPlain;
    DrawRect rect;
    std::string label;
    std::string note;             ///< second line, smaller
    std::string tip;              ///< what a person reads who points at it
    std::vector<HeadRole> heads;  ///< of a kHeads box
    bool changed = false;         ///< not so in the model that this one is compared with
    bool held = false;            ///< the note says why it cannot go
    std::vector<int> layers;      ///< 0-based, of kFrame, kLayer and kDots
};

enum class EdgeKind { kFlow, kSkip, kReuse, kAverage, kTied, kLoop };

struct DrawEdge {
    EdgeKind kind = EdgeKind::kFlow;
    Ink ink = Ink::kPlain;
    std::string from, to;  ///< ids of boxes; "" where it comes from or leads outside
    std::vector<DrawPoint> path;
    bool arrow = true;
    bool dots = false;  ///< dots where it leaves its source and where it turns off to its reader
    int lines = 1;      ///< parallel streams
    bool changed = false;
};

enum class TextAlign { kLeft, kCentre, kRight };

struct DrawLabel {
    std::string text;
    DrawPoint at;  ///< middle of the line's height
    double points = 6;
    TextAlign align = TextAlign::kCentre;
    Ink ink = Ink::kPlain;
    bool bold = false;
    bool muted = false;
};

struct DrawingLayout {
    double width = 0;
    double height = 0;
    std::vector<DrawBox> boxes;
    std::vector<DrawEdge> edges;
    std::vector<DrawLabel> labels;

    const DrawBox* find(const std::string& id) const;
    /// The innermost box at a point, or nullptr.
    const DrawBox* box_at(DrawPoint point) const;
};

/// Turns a drawing that was laid out with y growing upwards over.
void turn_over(DrawingLayout& drawing);
void move_by(DrawingLayout& drawing, double dx, double dy);
/// Adds `part` at a place; the size stays.
void append(DrawingLayout& drawing, DrawingLayout part, double x, double y);
/// Marks boxes and edges that `other` has not, or has otherwise.
void mark_changes(DrawingLayout& drawing, const DrawingLayout& other);

}  // namespace headroom
