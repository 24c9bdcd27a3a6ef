#include "panels/architecture/architecture_layout.h"

#include <algorithm>
#include <functional>
#include <set>

#include "panels/architecture/block_layout.h"
#include "panels/architecture/column_layout.h"
#include "panels/architecture/label_text.h"
#include "panels/architecture/type_sizes.h"

namespace headroom {
namespace {

constexpr double kBetween = 9;  ///< between the column and the details
constexpr double kEdge = 1;     ///< of the whole drawing
constexpr double kTitle = 7.5;
constexpr double kSmallest = 0.8;  ///< a page's pictures are not drawn smaller for one more detail

void add_title(DrawingLayout& drawing, const std::string& title) {
    move_by(drawing, 0, 12);
    drawing.height += 12;
    drawing.labels.push_back(
        {title, {drawing.width / 2, 5}, kTitle, TextAlign::kCentre, Ink::kPlain, true});
}

std::set<HeadRole> roles_in(const DrawingLayout& drawing) {
    std::set<HeadRole> roles;
    for (const DrawBox& box : drawing.boxes) roles.insert(box.heads.begin(), box.heads.end());
    return roles;
}

/// Samples of the marks that occur, where not all heads are a layer's own.
void add_key(DrawingLayout& drawing) {
    const std::set<HeadRole> roles = roles_in(drawing);
    if (roles.empty() || roles == std::set{HeadRole::kOwn}) return;
    const std::pair<HeadRole, const char*> marks[] = {{HeadRole::kOwn, "own head"},
                                                      {HeadRole::kReused, "from another layer"},
                                                      {HeadRole::kMixed, "own + another's"},
                                                      {HeadRole::kNone, "none"}};
    const double y = drawing.height + 6;
    double x = kEdge + 2;
    for (const auto& [role, text] : marks) {
        if (!roles.contains(role)) continue;
        DrawBox sample;
        sample.id = std::string("key.") + text;
        sample.role = BoxRole::kHeads;
        sample.rect = {x, y - 3, 9, 6};
        sample.heads = {role, role, role};
        drawing.boxes.push_back(sample);
        drawing.labels.push_back({text, {x + 12, y}, kNoteType, TextAlign::kLeft});
        x += 12 + label_width(text, kNoteType) + 9;
    }
    drawing.width = std::max(drawing.width, x);
    drawing.height += 11;
}

/// Small print, broken between its parts where it is wider than the picture.
void add_note(DrawingLayout& drawing, const std::string& note) {
    const std::string between = " · ";
    std::vector<std::string> lines{""};
    for (size_t at = 0; at < note.size();) {
        const size_t end = std::min(note.find(between, at), note.size());
        const std::string part = note.substr(at, end - at);
        const std::string longer = lines.back().empty() ? part : lines.back() + between + part;
        if (lines.back().empty() || label_width(longer, kNoteType) < drawing.width)
            lines.back() = longer;
        else
            lines.push_back(part);
        at = end + between.size();
    }
    for (const std::string& line : lines) {
        drawing.labels.push_back({line,
                                  {kEdge + 2, drawing.height + 5},
                                  kNoteType,
                                  TextAlign::kLeft,
                                  Ink::kPlain,
                                  false,
                                  true});
        drawing.height += 8;
    }
}

}  // namespace

DrawingLayout lay_out_architecture(const ArchitectureView& view,
                                   const ArchitectureOptions& options) {
    DrawingLayout drawing;
    if (view.empty()) return drawing;
    std::vector<DrawingLayout> parts;
    parts.push_back(lay_out_column(view, layer_rows(view, options.most_rows)));
    const std::vector<int> details =
        options.details.empty() ? std::vector<int>{telling_kind(view)} : options.details;
    for (size_t i = 0; i < details.size(); ++i)
        parts.push_back(lay_out_block(view, details[i],
                                      i == 0 ? "block." : "block" + std::to_string(i + 1) + "."));
    double highest_block = 0;
    for (const DrawingLayout& part : parts) drawing.height = std::max(drawing.height, part.height);
    for (size_t i = 1; i < parts.size(); ++i)
        highest_block = std::max(highest_block, parts[i].height);
    double x = kEdge;
    for (DrawingLayout& part : parts) {
        // Blocks stand on one line, centred beside the column.
        const double block_foot = (drawing.height + highest_block) / 2, width = part.width;
        const double y =
            &part == &parts.front() ? (drawing.height - part.height) / 2 : block_foot - part.height;
        append(drawing, std::move(part), x, y);
        x += width + kBetween;
    }
    drawing.width = x - kBetween + kEdge;
    if (options.title && !view.title.empty()) add_title(drawing, view.title);
    add_key(drawing);
    if (options.note) add_note(drawing, view.note);
    return drawing;
}

/// Adds kinds to the most telling one, in their order, as long as `fits` with them.
static std::vector<int> add_kinds(const ArchitectureView& view, const ArchitectureOptions& options,
                                  const std::function<bool(const DrawingLayout&)>& fits) {
    std::vector<int> shown{telling_kind(view)};
    ArchitectureOptions more = options;
    for (int kind = 0; kind < std::ssize(view.kinds); ++kind) {
        if (std::find(shown.begin(), shown.end(), kind) != shown.end()) continue;
        more.details = shown;
        more.details.push_back(kind);
        std::sort(more.details.begin(), more.details.end());
        if (!fits(lay_out_architecture(view, more))) break;
        shown = more.details;
    }
    return shown;
}

int rows_for_height(double height) {
    constexpr double kOthers = 130, kRow = 19;  // what stands below and above the layers
    constexpr int kLeast = 4, kMost = 24;
    return std::clamp(static_cast<int>((height - kOthers) / kRow), kLeast, kMost);
}

std::vector<int> details_for_width(const ArchitectureView& view, double width) {
    return add_kinds(
        view, {}, [&](const DrawingLayout& drawing) { return drawing.width * kSmallest <= width; });
}

std::vector<int> details_for_space(const ArchitectureView& view, ArchitectureOptions options,
                                   double width, double height) {
    const auto scale = [&](const DrawingLayout& drawing) {
        return std::min(width / drawing.width, height / drawing.height);
    };
    options.details.clear();
    const double alone = scale(lay_out_architecture(view, options));
    return add_kinds(view, options, [&](const DrawingLayout& drawing) {
        return scale(drawing) >= kSmallest * alone;
    });
}

ComparedLayouts lay_out_compared(ArchitectureView model, ArchitectureView baseline,
                                 const ArchitectureOptions& options) {
    mark_changed_layers(model, baseline);
    mark_changed_layers(baseline, model);
    ComparedLayouts layouts{lay_out_architecture(model, options),
                            lay_out_architecture(baseline, options)};
    const DrawingLayout before = layouts.model;
    mark_changes(layouts.model, layouts.baseline);
    mark_changes(layouts.baseline, before);
    return layouts;
}

}  // namespace headroom
