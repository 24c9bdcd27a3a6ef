#include "panels/memory/treemap_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/digits.h"
#include "panels/base/number_format.h"
#include "panels/base/numbering.h"
#include "panels/figure/csv_text.h"
#include "panels/memory/memory_measured_view.h"

namespace headroom {
namespace {

struct Heading {
    const char* name;
    const char* title;
    int color;
    int64_t MemoryLedger::*bytes;
};

/// In the colours of the breakdown.
constexpr Heading kHeadings[] = {
    {"weights", "weights", 0, &MemoryLedger::weights},
    {"gradients", "gradients", 4, &MemoryLedger::gradients},
    {"optimizer", "optimizer state", 5, &MemoryLedger::optimizer},
    {"cache", "KV cache", 1, &MemoryLedger::cache},
    {"activations", "activations", 2, &MemoryLedger::activations},
    {"workspace", "workspace", 3, &MemoryLedger::workspace},
    {"inputs_and_results", "inputs and results", 6, &MemoryLedger::inputs_and_results}};

/// Parts of one layer differ in lightness.
double tone_of(const std::string& part) {
    if (part == "attention" || part == "keys" || part == "latent") return 0;
    if (part == "MLP" || part == "values" || part == "embedding") return 0.25;
    return 0.45;
}

std::string share_line(int64_t bytes, int64_t total, const std::string& model) {
    return fmt::format("{} ({} B), {} of {}", format_bytes(bytes), format_integer(bytes),
                       format_percent(static_cast<double>(bytes) / static_cast<double>(total)),
                       model);
}

std::string measured_line(int64_t bytes) {
    return fmt::format("measured {} B", format_integer(bytes));
}

/// "0, 2-11"
std::string counted_layers(const std::vector<int>& layers) {
    std::vector<int64_t> shown;
    for (const int layer : layers) shown.push_back(shown_number(layer));
    return number_ranges(shown);
}

std::string layers_text(const std::vector<int>& layers) {
    return fmt::format("layer{} {}", layers.size() == 1 ? "" : "s", counted_layers(layers));
}

/// The group of a layer, made where it is missing. Tensors of no layer stand in the heading itself.
std::vector<TreemapNode>& siblings(TreemapNode& heading, int layer) {
    if (layer < 0) return heading.children;
    const std::string name = fmt::format("layer {}", shown_number(layer));
    const auto found = std::find_if(heading.children.begin(), heading.children.end(),
                                    [&](const TreemapNode& node) { return node.name == name; });
    if (found != heading.children.end()) return found->children;
    heading.children.push_back({.name = name, .label = "", .color = heading.color});
    return heading.children.back().children;
}

void add_part(TreemapNode& heading, const MemoryPart& part, int64_t total,
              const std::string& model) {
    TreemapNode leaf{.name = part.name, .label = part.name, .bytes = part.bytes};
    leaf.color = heading.color;
    leaf.tone = tone_of(part.name);
    std::string what = fmt::format("{} of the {}", heading.name, part.name);
    if (part.layer >= 0) {
        leaf.label = fmt::format("L{} {}", shown_number(part.layer), part.name);
        what += fmt::format(" of layer {}", shown_number(part.layer));
    }
    leaf.lines = {what, share_line(part.bytes, total, model)};
    siblings(heading, part.layer).push_back(std::move(leaf));
}

void add_buffer(TreemapNode& heading, const CacheBuffer& buffer, const MemoryReport& report,
                const std::string& model, int64_t measured) {
    const std::string kind(name_of(buffer.kind));
    TreemapNode leaf{.name = kind,
                     .label = fmt::format("L{} {}", shown_number(buffer.layer), kind)};
    leaf.bytes = report.cache_bytes(buffer);
    leaf.color = heading.color;
    leaf.tone = tone_of(kind);
    leaf.shared = std::any_of(buffer.readers.begin(), buffer.readers.end(),
                              [&](int reader) { return reader != buffer.layer; });
    leaf.lines = {fmt::format("{} that layer {} keeps: {} × {} numbers per token", kind,
                              shown_number(buffer.layer), buffer.heads, buffer.width),
                  share_line(leaf.bytes, report.predicted.total, model),
                  "read by " + layers_text(buffer.readers)};
    leaf.readers = counted_layers(buffer.readers);
    if (measured >= 0) leaf.lines.push_back(measured_line(measured));
    siblings(heading, buffer.layer).push_back(std::move(leaf));
}

int64_t sum(TreemapNode& node) {
    if (node.children.empty()) return node.bytes;
    node.bytes = 0;
    for (TreemapNode& child : node.children) node.bytes += sum(child);
    return node.bytes;
}

bool any_shared(const TreemapNode& node) {
    return node.shared || std::any_of(node.children.begin(), node.children.end(), any_shared);
}

void fill_legend(TreemapView& view) {
    for (const Heading& heading : kHeadings)
        for (const TreemapModel& model : view.models)
            if (std::any_of(model.root.children.begin(), model.root.children.end(),
                            [&](const TreemapNode& node) { return node.name == heading.title; })) {
                view.legend.push_back({heading.title, heading.color, false});
                break;
            }
    if (std::any_of(view.models.begin(), view.models.end(),
                    [](const TreemapModel& model) { return any_shared(model.root); }))
        view.legend.push_back({"cache that other layers read, too", 1, true});
}

void add_rows(const TreemapNode& node, const std::string& model, const std::string& heading,
              const std::string& layer, std::string& csv) {
    for (const TreemapNode& child : node.children) {
        if (!child.children.empty()) {
            add_rows(child, model, heading, child.name.substr(child.name.find(' ') + 1), csv);
            continue;
        }
        csv += fmt::format("{},{},{},{},{},{}\n", csv_quoted(model), heading, layer, child.name,
                           child.bytes, csv_quoted(child.readers));
    }
}

}  // namespace

TreemapModel treemap_model(const std::string& name, const MemoryReport& report) {
    TreemapModel model{name, {.name = name, .label = ""}};
    for (const Heading& heading : kHeadings) {
        const int64_t bytes = report.predicted.*heading.bytes;
        if (bytes == 0) continue;
        TreemapNode node{.name = heading.title, .label = heading.title, .bytes = bytes};
        node.color = heading.color;
        for (const MemoryPart& part : report.parts)
            if (part.heading == heading.name) add_part(node, part, report.predicted.total, name);
        if (heading.bytes == &MemoryLedger::cache)
            for (size_t i = 0; i < report.cache.size(); ++i)
                add_buffer(node, report.cache[i], report, name,
                           report.measured ? report.measured->cache.at(i) : -1);
        if (node.children.empty())
            node.lines = {heading.title, share_line(bytes, report.predicted.total, name)};
        if (heading.bytes == &MemoryLedger::activations)
            node.lines.emplace_back("packed: values whose lives do not overlap share their place");
        if (report.measured && !node.lines.empty())
            node.lines.push_back(measured_line(report.measured->held.*heading.bytes));
        model.root.children.push_back(std::move(node));
    }
    if (report.measured) model.measured = agreement_text(report, *report.measured);
    sum(model.root);
    return model;
}

TreemapView build_treemap(const std::vector<MemoryModel>& models,
                          const MemoryFigureSettings& settings) {
    TreemapView view;
    view.notes.push_back(conditions_text(models, settings));
    for (const MemoryModel& model : models) {
        MemoryReport report = memory_report(memory_question(model, settings, view.notes));
        if (model.measured && model.measured->cache.size() == report.cache.size())
            report.measured = *model.measured;
        view.models.push_back(treemap_model(model.name, report));
        if (const std::string& measured = view.models.back().measured; !measured.empty())
            view.notes.push_back(fmt::format("{} measured {}", model.name, measured));
    }
    if (models.size() > 1) view.notes.emplace_back("equal areas are equal bytes");
    if (models.empty()) view.empty_text = "No model";
    fill_legend(view);
    return view;
}

std::string treemap_csv(const TreemapView& view) {
    std::string csv;
    for (const std::string& note : view.notes) csv += "# " + note + "\n";
    csv += "model,heading,layer,part,bytes,readers\n";
    for (const TreemapModel& model : view.models)
        for (const TreemapNode& heading : model.root.children) {
            if (heading.children.empty())
                csv += fmt::format("{},{},,,{},\n", csv_quoted(model.name), heading.name,
                                   heading.bytes);
            add_rows(heading, model.name, heading.name, "", csv);
        }
    return csv;
}

}  // namespace headroom
