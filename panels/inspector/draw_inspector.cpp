#include "panels/inspector/draw_inspector.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/imgui/imgui_theme.h"
#include "panels/inspector/draw_atlas.h"
#include "panels/inspector/draw_picture.h"
#include "panels/inspector/draw_readout.h"
#include "panels/inspector/imgui_label.h"
#include "panels/inspector/inspector_layout.h"
#include "panels/inspector/inspector_text.h"
#include "panels/inspector/map_input.h"

namespace headroom {
namespace {

/// One frame of the canvas: what is shared by its parts.
class InspectorFrame {
  public:
    InspectorFrame(const InspectorView& view, const MapPaint& paint,
                   const InspectorSettings& settings, InspectorPlace& place)
        : view_(view), paint_(paint), settings_(settings), place_(place) {
        panes_ = shown_panes(view, settings.compare);
        split_ = effective_mode(view, settings.compare) == CompareMode::kSplit;
        for (const InspectorPane* pane : panes_)
            if (pane->source && !info_) info_ = &pane->source->info();
        grid_ = head_grid(panes_);
        pictures_ = shows_pictures(view, settings);
        // Equal colours mean equal values: one record without a picture leaves all without.
        heat_ = have_pictures(view, settings) ? settings.heat : 1;
        if (panes_.size() < 2 || !panes_[1]->source || !panes_[0]->source) split_ = false;
    }

    InspectorCommands draw() {
        const ImVec2 corner = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
        origin_ = corner;
        place_.cursor.reset();
        place_.patch.reset();
        hold_query();
        commands_.step = handle_inspector_keys(grid_, place_, commands_.changed);
        const size_t frames = split_ ? 1 : panes_.size();
        around_ = pictures_ ? picture_surround() : map_surround(settings_, view_);
        title_ = static_cast<double>(ImGui::GetTextLineHeightWithSpacing());
        const InspectorLayout layout = arrange_inspector(
            {.width = std::max(64.0, static_cast<double>(room.x)),
             .height = std::max(64.0, static_cast<double>(room.y)),
             .n_layer = std::max(1, grid_.n_layer),
             .n_head = std::max(1, grid_.n_head),
             .panes = frames,
             .atlas = settings_.show_atlas && info_ != nullptr,
             .line = static_cast<double>(ImGui::GetTextLineHeightWithSpacing()),
             .atlas_named = panes_.size() > 1,
             .readout_lines = readout_lines(panes_.size()),
             .around_x = static_cast<double>(around_.left + around_.right) + 8,
             .around_y = title_ + static_cast<double>(around_.top + around_.bottom)});
        if (layout.atlas.width > 0) draw_heads(moved(layout.atlas), moved(layout.atlas_name));
        hold_head();
        measure();
        // First the mouse in all frames, then the pictures, so that cursors are linked at once.
        std::vector<MapInput> inputs;
        for (size_t i = 0; i < frames; ++i)
            inputs.push_back(handle_pane(i, moved(layout.panes[i])));
        for (size_t i = 0; i < frames; ++i) draw_pane(i, moved(layout.panes[i]), inputs[i]);
        if (info_) draw_scale(layout);
        if (pictures_)
            draw_picture_readout(list(), paint_, panes_, attention_, settings_, place_,
                                 moved(layout.readout));
        else
            draw_readout(list(), paint_, panes_, statistics_, settings_, place_,
                         moved(layout.readout));
        return commands_;
    }

  private:
    ImDrawList& list() const { return *ImGui::GetWindowDrawList(); }

    PixelBox moved(PixelBox box) const {
        box.x += static_cast<double>(origin_.x);
        box.y += static_cast<double>(origin_.y);
        return box;
    }

    void draw_scale(const InspectorLayout& layout) {
        const MapSignal signal = plane_of(settings_, *info_, place_.head).signal;
        draw_color_bar(list(), paint_.theme, scale_, reach_, moved(layout.color_bar));
        draw_color_name(list(), paint_.theme, measure_text(signal, info_->differs),
                        moved(layout.color_name));
    }

    void draw_heads(const PixelBox& box, const PixelBox& name) {
        const AtlasLayout layout(box, grid_.n_layer, grid_.n_head,
                                 1.6 * static_cast<double>(ImGui::GetTextLineHeight()));
        ImGui::SetCursorScreenPos(to_vec(box.x, box.y));
        ImGui::InvisibleButton("atlas", to_vec(box.width, box.height));
        if (ImGui::IsItemHovered()) {
            const ImVec2 mouse = ImGui::GetIO().MousePos;
            commands_.hovered =
                layout.head_at(static_cast<double>(mouse.x), static_cast<double>(mouse.y));
        }
        if (commands_.hovered) point_at(*commands_.hovered);
        draw_atlas(list(), paint_, panes_, settings_, place_, name, layout, pictures_,
                   commands_.hovered);
    }

    /// Hovering previews, clicking locks; clicking what is locked lets it go.
    void point_at(const HeadId& head) {
        const bool clicked = ImGui::IsItemClicked();
        if (clicked) {
            place_.locked = !(place_.locked && place_.head == head);
            place_.head = head;
            commands_.changed = true;
        } else if (!place_.locked && place_.head != head) {
            place_.head = head;
            commands_.changed = true;
        }
    }

    /// A head that was clicked stays, also where none of these models has it.
    void hold_head() {
        if (info_ && !place_.locked)
            place_.head = stepped(place_.head, 0, 0, grid_.n_layer, grid_.n_head);
    }

    /// A query that the first model does not have is of another picture.
    void hold_query() {
        if (pictures_ && !has_query(*info_, place_.query)) place_.query = default_query(*info_);
    }

    bool has_head(const InspectorPane& pane) const { return headroom::has_head(pane, place_.head); }
    /// Whether there is something to draw of it.
    bool has_map(const InspectorPane& pane) const {
        return has_head(pane) && (!pictures_ || has_query(pane.source->info(), place_.query));
    }
    /// Cells of a side: positions, or patches.
    int64_t side_of(const MapInfo& info) const {
        return pictures_ ? info.patch_columns : info.seq_len;
    }

    MapPlane plane(const InspectorPane& pane) const {
        return plane_of(settings_, pane.source->info(), place_.head);
    }

    /// One scale for all maps on the screen.
    void measure() {
        std::vector<const HeadStatistics*> known;
        bool both_signs = false;
        for (const InspectorPane* pane : panes_) {
            statistics_.push_back(
                has_head(*pane) ? paint_.store.statistics(pane->source, plane(*pane)) : nullptr);
            known.push_back(statistics_.back().get());
            if (known.back() && known.back()->finite > 0)
                reach_.add(known.back()->least, known.back()->most);
            if (pane->source)
                both_signs = both_signs || is_signed(pane->source->info(), plane(*pane).signal);
        }
        if (pictures_) reach_ = {};  // of what is drawn alone, as the scale
        scale_ =
            pictures_ ? measure_pictures(both_signs) : shared_scale(settings_, both_signs, known);
    }

    /// Of what is drawn, not of all that the heads have: what lies outside the pictures would leave
    /// the patches little of the colours.
    ColorScale measure_pictures(bool both_signs) {
        std::vector<double> values;
        measured_ = place_.query;
        for (const InspectorPane* pane : panes_) {
            attention_.emplace_back();
            if (!has_map(*pane)) continue;
            attention_.back() = stored_attention(paint_.store, pane->source, plane(*pane),
                                                 place_.query, Urgency::kInSight);
            if (const auto& known = attention_.back())
                values.insert(values.end(), known->values.begin(), known->values.end());
        }
        for (const double value : values)
            if (std::isfinite(value)) reach_.add(value, value);
        return make_color_scale(color_choice(settings_, both_signs), values);
    }

    PixelBox map_box(const PixelBox& pane) const {
        PixelBox box{pane.x + static_cast<double>(around_.left),
                     pane.y + title_ + static_cast<double>(around_.top), 0, 0};
        box.width = pane.width - static_cast<double>(around_.left + around_.right) - 8;
        box.height = pane.height - title_ - static_cast<double>(around_.top + around_.bottom);
        box.width = std::max(box.width, 24.0);
        box.height = std::max(box.height, 24.0);
        return box;
    }

    /// Where the map of a run stands, and the picture itself if it has one and there is room.
    PictureBoxes boxes_of(const InspectorPane& pane, const PixelBox& box) const {
        const PixelBox map = map_box(box);
        if (!pictures_ || !pane.source->info().picture.picture) return {map, std::nullopt};
        return arrange_picture(map, static_cast<double>(around_.bottom) + 8);
    }

    MapFrame frame_of(const PixelBox& box, const MapInfo& info) const {
        const int64_t side = side_of(info);
        return {box, side, clamped(place_.window, box, side)};
    }

    MapInput handle_pane(size_t i, const PixelBox& box) {
        if (!has_map(*panes_[i])) return {};
        const MapInfo& info = panes_[i]->source->info();
        ImGui::PushID(static_cast<int>(i));
        const PixelBox map = boxes_of(*panes_[i], box).heat;
        commands_.maps.push_back(frame_of(map, info).shown());
        const MapInput input = handle_map(map, side_of(info), place_, split_);
        ImGui::PopID();
        if (input.entry && pictures_)
            point_at_patch({input.entry->query, input.entry->key}, input.clicked, info);
        else if (input.entry)
            place_.cursor = input.entry;
        if (input.reference_asked) commands_.reference = i;
        commands_.changed = commands_.changed || input.changed;
        return input;
    }

    /// A click makes it the query; clicking the query goes back to what classes are told from.
    void point_at_patch(PatchPlace patch, bool clicked, const MapInfo& info) {
        place_.patch = patch;
        if (!clicked) return;
        const PictureQuery chosen = PictureQuery::of_patch(patch);
        place_.query = place_.query == chosen ? default_query(info) : chosen;
        commands_.changed = true;
    }

    /// Above the map; the second run of a split stands on the right.
    void draw_title(const InspectorPane& pane, const PixelBox& box, double y, bool second) {
        const std::string name = pane.source ? pane.source->info().title : pane.name;
        const double room = split_ ? box.width / 2 - 8 : box.width - 8;
        const std::string text = fitted_text(name, static_cast<float>(room));
        const double width = static_cast<double>(ImGui::CalcTextSize(text.c_str()).x);
        const double x = second ? box.x + box.width - width - 8 : box.x + 4;
        list().AddText(to_vec(x, y), to_imgui(paint_.theme.text), text.c_str());
    }

    void draw_pane(size_t i, const PixelBox& box, const MapInput& input) {
        const InspectorPane& pane = *panes_[i];
        if (!has_map(pane)) {
            draw_title(pane, box, box.y, false);
            return draw_empty(i, box);
        }
        const auto [map, picture] = boxes_of(pane, box);
        const MapFrame frame = frame_of(map, pane.source->info());
        const double title_y = frame.shown().y - static_cast<double>(around_.top) - title_;
        draw_title(pane, box, title_y, false);
        if (split_) draw_title(*panes_[1], box, title_y, true);
        if (pane.busy) draw_note(box, title_y, "Probing\u2026");
        PixelBox left = map;
        if (split_) {
            left.width *= place_.split;
            draw_cells(1, frame, {map.x + left.width, map.y, map.width - left.width, map.height});
        }
        draw_cells(i, frame, left);
        draw_axis_names(list(), paint_.theme, pictures_ ? kPatchAxes : kTokenAxes, frame, around_);
        pictures_ ? draw_around_picture(pane.source->info(), frame) : draw_around_map(i, frame);
        if (picture) draw_original(list(), paint_, *pane.source, *picture);
        if (split_) draw_divider(map);
        if (input.zoom_box) draw_zoom_box(*input.zoom_box);
    }

    /// A map, or a picture with its heat.
    void draw_cells(size_t i, const MapFrame& frame, const PixelBox& clip) {
        const InspectorPane& pane = *panes_[i];
        if (!pictures_)
            return draw_map(list(), paint_, pane.source, plane(pane), frame, scale_, clip);
        if (!attention_[i]) return;
        const MapInfo& info = pane.source->info();
        draw_picture(list(), paint_, *pane.source,
                     heat_key(pane.source->serial(), plane(pane), info, measured_), *attention_[i],
                     frame, scale_, heat_, clip);
    }

    void draw_around_map(size_t i, const MapFrame& frame) {
        draw_tokens(list(), paint_.theme, panes_[i]->source->info(), frame, place_.cursor, around_);
        if (settings_.show_margins && statistics_[i])
            draw_margins(list(), paint_.theme, *statistics_[i], settings_.margin, frame);
        if (place_.cursor) draw_crosshair(list(), paint_.theme, frame, *place_.cursor);
    }

    void draw_around_picture(const MapInfo& info, const MapFrame& frame) {
        draw_patch_names(list(), paint_.theme, info.patch_columns, frame, place_.patch);
        if (place_.patch && has_query(info, PictureQuery::of_patch(*place_.patch)))
            draw_patch_frame(list(), frame, *place_.patch, IM_COL32_WHITE, IM_COL32_BLACK);
        if (place_.query.kind == PictureQuery::Kind::kPatch)
            draw_patch_frame(list(), frame, place_.query.patch, to_imgui(paint_.theme.accent),
                             IM_COL32_WHITE);
    }

    void draw_divider(const PixelBox& map) {
        const double x = map.x + map.width * place_.split;
        list().AddLine(to_vec(x, map.y), to_vec(x, map.y + map.height),
                       to_imgui(paint_.theme.accent), 2);
        const double middle = map.y + map.height / 2;
        list().AddRectFilled(to_vec(x - 4, middle - 14), to_vec(x + 4, middle + 14),
                             to_imgui(paint_.theme.accent), 3);
    }

    void draw_zoom_box(const PixelBox& box) {
        const ImVec2 from = to_vec(box.x, box.y),
                     to = to_vec(box.x + box.width, box.y + box.height);
        list().AddRectFilled(from, to, to_imgui(with_alpha(paint_.theme.accent, 0.2)));
        list().AddRect(from, to, to_imgui(paint_.theme.accent));
    }

    void draw_note(const PixelBox& box, double y, const char* text) {
        const ImVec2 size = ImGui::CalcTextSize(text);
        const double x = box.x + box.width - static_cast<double>(size.x) - 16;
        list().AddText(to_vec(x, y), to_imgui(paint_.theme.accent), text);
    }

    /// What of the place a model does not have.
    std::string missing(const InspectorPane& pane) const {
        return has_head(pane) ? "position " + query_text(place_.query) : head_text(place_.head);
    }

    /// Why there is no map, and what to do about it.
    void draw_empty(size_t i, const PixelBox& box) {
        const InspectorPane& pane = *panes_[i];
        const std::string text = pane.busy           ? "Probing\u2026"
                                 : pane.source       ? "This model has no " + missing(pane)
                                 : pane.note.empty() ? "No attention record yet"
                                                     : pane.note;
        const float wrap = static_cast<float>(std::max(80.0, box.width - 48));
        const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
        const double y = box.y + box.height / 2 - static_cast<double>(size.y);
        list().AddText(nullptr, 0, to_vec(box.x + (box.width - static_cast<double>(size.x)) / 2, y),
                       to_imgui(paint_.theme.muted), text.c_str(), nullptr, wrap);
        if (!pane.can_probe || pane.busy || pane.source) return;
        const char* label = "Probe";
        const double width = static_cast<double>(ImGui::CalcTextSize(label).x) + 32;
        ImGui::SetCursorScreenPos(
            to_vec(box.x + (box.width - width) / 2, y + static_cast<double>(size.y) + 10));
        ImGui::PushID(static_cast<int>(i) + 100);
        if (ImGui::Button(label, to_vec(width, 0))) commands_.probe = i;
        ImGui::PopID();
    }

    const InspectorView& view_;
    const MapPaint& paint_;
    const InspectorSettings& settings_;
    InspectorPlace& place_;
    std::vector<const InspectorPane*> panes_;
    std::vector<TileStore::StatisticsPointer> statistics_;
    std::vector<std::optional<PatchAttention>> attention_;  ///< of pictures, by pane
    PictureQuery measured_;  ///< what attention_ is of: a click may have chosen another since
    const MapInfo* info_ = nullptr;
    HeadGrid grid_;
    ColorScale scale_;
    ValueReach reach_;
    MapSurround around_;
    double title_ = 0;  ///< height of a title
    bool split_ = false;
    double heat_ = 1;        ///< how much of the pictures it covers
    bool pictures_ = false;  ///< images are shown, and what one query attends to over them
    ImVec2 origin_;
    InspectorCommands commands_;
};

}  // namespace

InspectorCommands draw_inspector(const InspectorView& view, const MapPaint& paint,
                                 const InspectorSettings& settings, InspectorPlace& place) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin("inspector", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse |
                     ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar(2);
    InspectorCommands commands;
    if (view.panes.empty()) {
        ImGui::TextDisabled("Select one to four runs to see what their heads attend to.");
    } else {
        paint.store.begin_frame();
        commands = InspectorFrame(view, paint, settings, place).draw();
        paint.store.end_frame();
    }
    ImGui::End();
    return commands;
}

}  // namespace headroom
