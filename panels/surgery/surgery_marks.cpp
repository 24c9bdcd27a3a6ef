#include "panels/surgery/surgery_marks.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/surgery/attention_matrix.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

bool is_about(const PlanGroup& group, const PlanLine& line, const LayerMatrix& which) {
    const auto in = [&](const std::vector<AttentionMatrix>& all) {
        return std::find(all.begin(), all.end(), which.matrix) != all.end();
    };
    const std::optional<int>& layer = line.plan.request.layer;
    return (in(line.plan.request.matrices) || in(group.surgery->matrices)) &&
           (!layer || *layer == which.layer);
}

/// What all lines about the matrices of these layers refuse, or nullptr where one of them applies
/// or none is about them.
const PlanLine* refusal_of(const PlanGroup& group, AttentionMatrix matrix,
                           const std::vector<int>& layers) {
    const PlanLine* first = nullptr;
    for (const int layer : layers)
        for (const PlanLine& line : group.lines) {
            if (!is_about(group, line, {layer, matrix})) continue;
            if (line.applies()) return nullptr;
            if (first == nullptr) first = &line;
        }
    return first;
}

bool goes(const PlanGroup& group, const PlanLine* chosen, AttentionMatrix matrix,
          const std::vector<int>& layers) {
    return chosen != nullptr && chosen->applies() && group.surgery->exact &&
           std::any_of(layers.begin(), layers.end(), [&](int layer) {
               return is_about(group, *chosen, {layer, matrix});
           });
}

/// A part of the picture that is such a matrix, and not what stands in its place.
bool is_matrix(const DrawBox& box) {
    return box.role == BoxRole::kQuery || box.role == BoxRole::kKey ||
           box.role == BoxRole::kValue || box.role == BoxRole::kOutput;
}

}  // namespace

void mark_plan(DrawingLayout& drawing, const PlanGroup& group, const PlanLine* chosen) {
    for (const AttentionMatrix matrix : attention_matrices())
        for (DrawBox& box : drawing.boxes) {
            const DrawBox* frame = drawing.find(box.parent);
            if (frame == nullptr || !is_matrix(box) ||
                box.id != frame->id.substr(0, frame->id.rfind('.') + 1) + letter_of(matrix))
                continue;
            if (goes(group, chosen, matrix, frame->layers)) {
                const ModelConfig& after = chosen->plan.config;
                const bool stays =
                    std::all_of(frame->layers.begin(), frame->layers.end(), [&](int layer) {
                        return has_matrix(after, {layer, matrix});
                    });
                box.note = stays ? "changes" : "goes";
            } else if (const PlanLine* refused = refusal_of(group, matrix, frame->layers)) {
                box.note = "stays: " + refused->plan.assumption;
                box.held = true;
                box.tip = fmt::format("{}\nStays: {}", box.tip, in_shown_numbers(refused->why));
            }
        }
}

}  // namespace headroom
