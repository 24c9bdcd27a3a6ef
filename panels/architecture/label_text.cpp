#include "panels/architecture/label_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/base/numbering.h"

namespace headroom {
namespace {

/// Share of the type size that a letter takes in a sans-serif face such as Inter.
double letter_width(unsigned char c) {
    if (c >= 0x80) return c >= 0xc0 ? 0.62 : 0;  // one letter for its whole UTF-8 sequence
    if (c == ' ') return 0.27;
    if (std::string("ilj.,:;|!'()[]tfrI").find(static_cast<char>(c)) != std::string::npos)
        return 0.34;
    if (std::string("mwMW").find(static_cast<char>(c)) != std::string::npos) return 0.9;
    if (c >= 'A' && c <= 'Z') return 0.69;
    if (c >= '0' && c <= '9') return 0.63;
    return 0.59;
}

double text_width(const std::string& text) {
    double width = 0;
    for (const char c : text) width += letter_width(static_cast<unsigned char>(c));
    return width;
}

int count_of(const LaneFacts& lane, HeadRole role) {
    return static_cast<int>(std::count(lane.heads.begin(), lane.heads.end(), role));
}

std::string heads_text(int count) {
    return fmt::format("{} head{}", count, count == 1 ? "" : "s");
}

/// "layers 1, 3", "layers 1–4", "5 layers"
std::string several_layers(const std::vector<LayerShare>& shares, const LayerKind& of) {
    const int first = shares.front().layer, last = shares.back().layer;
    const bool in_a_row = last - first + 1 == std::ssize(shares);
    if (of.by_distance) return fmt::format("{} layers", shares.size());
    if (shares.size() == 2) return fmt::format("layers {}, {}", first, last);
    return in_a_row ? fmt::format("layers {}–{}", first, last)
                    : fmt::format("{} layers", shares.size());
}

}  // namespace

std::vector<LabelRun> split_label(const std::string& label) {
    std::vector<LabelRun> runs;
    size_t at = 0;
    while (at < label.size()) {
        const size_t mark = std::min(label.find("_{", at), label.find("^{", at));
        if (mark != at) runs.push_back({LabelRun::kBase, label.substr(at, mark - at)});
        if (mark == std::string::npos) break;
        const size_t end = label.find('}', mark);
        if (end == std::string::npos) break;
        runs.push_back({label[mark] == '_' ? LabelRun::kBelow : LabelRun::kAbove,
                        label.substr(mark + 2, end - mark - 2)});
        at = end + 1;
    }
    return runs;
}

double label_width(const std::string& label, double points) {
    double width = 0;
    for (const LabelRun& run : split_label(label))
        width += text_width(run.text) * (run.place == LabelRun::kBase ? 1 : kSubscript);
    return width * points;
}

std::string shape_text(const Shape& shape) {
    std::string text;
    for (const int64_t size : shape) text += fmt::format("{}{}", text.empty() ? "" : " × ", size);
    return text;
}

std::string scale_text(double scale) {
    const auto whole = [](double value) { return std::abs(value - std::round(value)) < 1e-6; };
    if (scale <= 0) return fmt::format("{:.3g}", scale);
    const double inverse = 1 / scale;
    if (whole(inverse)) return inverse < 1.5 ? "1" : fmt::format("1/{:.0f}", inverse);
    if (whole(inverse * inverse)) return fmt::format("1/√{:.0f}", inverse * inverse);
    if (whole(inverse * inverse / 4)) return fmt::format("1/(2√{:.0f})", inverse * inverse / 4);
    return fmt::format("{:.3g}", scale);
}

std::string norm_text(NormKind kind) {
    switch (kind) {
        case NormKind::kLayerNorm:
            return "LayerNorm";
        case NormKind::kRmsNorm:
            return "RMSNorm";
        case NormKind::kDyT:
            return "DyT";
        case NormKind::kNone:
            break;
    }
    return "";
}

std::string activation_text(MlpKind kind) {
    switch (kind) {
        case MlpKind::kGelu:
        case MlpKind::kGeglu:
            return "GELU";
        case MlpKind::kGeluTanh:
            return "GELU (tanh)";
        case MlpKind::kRelu:
        case MlpKind::kReglu:
            return "ReLU";
        case MlpKind::kRelu2:
            return "ReLU²";
        case MlpKind::kSilu:
        case MlpKind::kSwiglu:
            return "SiLU";
    }
    return "";
}

std::string weight_text(const LayerShare& share) {
    if (share.learned == SourceWeight::kLambda) return "λ";
    if (share.learned == SourceWeight::kOneMinusLambda) return "(1−λ)";
    return fmt::format("{:.3g}", share.weight);
}

std::string layer_text(int source, const LayerKind& of) {
    const int distance = of.layers.front() - source;
    if (!of.by_distance) return fmt::format("layer {}", shown_number(source));
    return distance == 1 ? "layer before" : fmt::format("{} layers before", distance);
}

SourceText source_text(const LaneFacts& lane, const LayerKind& of, char letter) {
    const int mixed = count_of(lane, HeadRole::kMixed);
    const int reused = count_of(lane, HeadRole::kReused);
    if (lane.shares.empty()) return {heads_text(count_of(lane, HeadRole::kNone)), "read zeros"};
    const LayerShare& first = lane.shares.front();
    SourceText text;
    text.note = layer_text(first.layer, of);
    if (lane.shares.size() > 1) text.note = several_layers(lane.shares, of);
    if (lane.is_mixture()) {
        text.label = fmt::format("{} {} + {} {}′", weight_text(lane.own_part), letter,
                                 weight_text(first), letter);
        text.note = fmt::format("{}′ of {}", letter, text.note);
    } else if (lane.projected == 0 && mixed == 0) {
        const bool scaled = first.uniform && first.weight != 1 && lane.shares.size() == 1;
        text.label = fmt::format("{}{} of", scaled ? weight_text(first) + " " : "", letter);
    } else {
        text.label = heads_text(mixed + reused);
    }
    return text;
}

}  // namespace headroom
