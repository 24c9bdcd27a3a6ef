#include <algorithm>
#include <cmath>

#include "panels/imgui/imgui_theme.h"
#include "panels/inspector/draw_map.h"
#include "panels/inspector/imgui_label.h"

namespace headroom {
namespace {

/// The bars of one side: at most one a pixel, the greatest in absolute value of those that share
/// it, so that none disappears.
class Bars {
  public:
    Bars(const std::vector<double>& values, double pixels_per_token)
        : values_(values), step_(std::max(1.0, 1 / pixels_per_token)) {
        for (const double value : values)
            if (std::isfinite(value)) most_ = std::max(most_, std::fabs(value));
    }

    /// Calls draw(first token, last token, share of the longest bar) for tokens [from, to).
    template <class Draw>
    void each(double from, double to, Draw draw) const {
        if (most_ == 0) return;
        const auto count = static_cast<double>(values_.size());
        for (double t = std::floor(std::max(0.0, from) / step_) * step_; t < std::min(to, count);
             t += step_) {
            double greatest = 0;
            const auto last = std::min(values_.size(), static_cast<size_t>(std::ceil(t + step_)));
            for (auto i = static_cast<size_t>(t); i < last; ++i)
                if (std::fabs(values_[i]) > std::fabs(greatest)) greatest = values_[i];
            draw(t, t + step_, greatest / most_);
        }
    }

  private:
    const std::vector<double>& values_;
    double step_, most_ = 0;
};

}  // namespace

void draw_margins(ImDrawList& list, const Theme& theme, const HeadStatistics& statistics,
                  Margin margin, const MapFrame& frame) {
    const PixelBox seen = frame.shown();
    const double room = 1.3 * static_cast<double>(ImGui::GetTextLineHeight());
    const double right = seen.x + seen.width + 4, top = seen.y - 4;
    const auto ink = [&](double share) { return to_imgui(share < 0 ? theme.reused : theme.own); };
    const std::vector<double> rows = margin_values(statistics.queries, margin);
    Bars(rows, frame.pixels_per_token())
        .each(frame.query_at(seen.y), frame.query_at(seen.y + seen.height),
              [&](double from, double to, double share) {
                  list.AddRectFilled(to_vec(right, std::max(seen.y, frame.y_of(from))),
                                     to_vec(right + std::fabs(share) * room,
                                            std::min(seen.y + seen.height, frame.y_of(to))),
                                     ink(share));
              });
    const std::vector<double> columns = margin_values(statistics.keys, margin);
    Bars(columns, frame.pixels_per_token())
        .each(frame.key_at(seen.x), frame.key_at(seen.x + seen.width),
              [&](double from, double to, double share) {
                  list.AddRectFilled(
                      to_vec(std::max(seen.x, frame.x_of(from)), top - std::fabs(share) * room),
                      to_vec(std::min(seen.x + seen.width, frame.x_of(to)), top), ink(share));
              });
}

/// The end of a bar beyond which there are values: a triangle in the end's colour.
static void draw_point(ImDrawList& list, const Theme& theme, const PixelBox& bar, bool top,
                       Rgb color) {
    constexpr double kPoint = 6;
    const double edge = top ? bar.y : bar.y + bar.height;
    const ImVec2 left = to_vec(bar.x, edge), right = to_vec(bar.x + bar.width, edge);
    const ImVec2 end = to_vec(bar.x + bar.width / 2, edge + (top ? -kPoint : kPoint));
    list.AddTriangleFilled(left, right, end, to_imgui(color));
    list.AddTriangle(left, right, end, to_imgui(theme.border));
}

void draw_color_name(ImDrawList& list, const Theme& theme, const std::string& name,
                     const PixelBox& box) {
    const std::string text = fitted_text(name, static_cast<float>(box.height));
    const double tall = static_cast<double>(ImGui::CalcTextSize(text.c_str()).x);
    draw_upward_text(list, to_vec(box.x, box.y + (box.height - tall) / 2), to_imgui(theme.text),
                     text);
}

void draw_color_bar(ImDrawList& list, const Theme& theme, const ColorScale& scale,
                    const ValueReach& values, const PixelBox& box) {
    constexpr int kSteps = 64;
    const double step = box.height / kSteps;
    for (int i = 0; i < kSteps; ++i)
        list.AddRectFilled(to_vec(box.x, box.y + i * step),
                           to_vec(box.x + box.width, box.y + (i + 1) * step),
                           to_imgui(color_at(scale.map, 1 - (i + 0.5) / kSteps)));
    list.AddRect(to_vec(box.x, box.y), to_vec(box.x + box.width, box.y + box.height),
                 to_imgui(theme.border));
    if (values.most > scale.upper) draw_point(list, theme, box, true, color_at(scale.map, 1));
    if (values.least < scale.lower) draw_point(list, theme, box, false, color_at(scale.map, 0));
    const double line = static_cast<double>(ImGui::GetTextLineHeight());
    const int ticks = std::clamp(static_cast<int>(box.height / (3 * line)), 1, 4);
    for (int i = 0; i <= ticks; ++i) {
        const double place = static_cast<double>(i) / ticks;
        const double y = box.y + box.height * (1 - place);
        double value = scale.value_at(place);
        if (scale.scale != ValueScale::kLog &&
            std::fabs(value) < 1e-9 * std::max(std::fabs(scale.lower), std::fabs(scale.upper)))
            value = 0;
        char text[32];
        snprintf(text, sizeof text, "%.3g", value);
        list.AddLine(to_vec(box.x + box.width, y), to_vec(box.x + box.width + 4, y),
                     to_imgui(theme.muted));
        list.AddText(to_vec(box.x + box.width + 7, y - line / 2), to_imgui(theme.muted), text);
    }
}

}  // namespace headroom
