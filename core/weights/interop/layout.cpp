#include "core/weights/interop/layout.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/weights/interop/hf_gpt2.h"
#include "core/weights/interop/hf_llama.h"
#include "core/weights/interop/hf_neox.h"
#include "core/weights/interop/nanogpt.h"

namespace headroom {
namespace {

constexpr std::string_view kLayer = "{i}";

const NameRow* find_row(const Layout& layout, std::string_view our_pattern) {
    const auto row = std::find_if(layout.rows.begin(), layout.rows.end(),
                                  [&](const NameRow& r) { return r.ours == our_pattern; });
    return row == layout.rows.end() ? nullptr : &*row;
}

bool is_number(std::string_view part, int& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() &&
           part == fmt::to_string(value) && value >= 0;
}

/// Adds the outputs of `part` to a tensor that may hold some already; `block` of them stand
/// together.
void append_part(ForeignTensor& tensor, size_t spec, const Shape& part, int64_t block) {
    Shape& shape = tensor.shape;
    int64_t begin = 0;
    if (shape.empty()) {
        shape = part;
    } else {
        CHECK(shape.size() == part.size() && (part.size() == 1 || shape.front() == part.front()),
              "parts of one tensor have the same inputs");
        begin = tensor.parts.back().outputs.begin + tensor.parts.back().outputs.width;
        shape.back() += part.back();
    }
    tensor.parts.push_back({spec, {.begin = begin, .width = block}});
}

/// What is known once all parts are there.
void close_parts(ForeignTensor& tensor) {
    const OutputBlocks last = tensor.parts.back().outputs;
    for (ForeignPart& part : tensor.parts) {
        part.outputs.stride = last.begin + last.width;
        part.outputs.outputs = tensor.shape.back();
    }
    if (tensor.orientation == Orientation::kTransposed)
        std::reverse(tensor.shape.begin(), tensor.shape.end());
}

}  // namespace

Translation::Translation() : keys(std::make_unique<nlohmann::json>(nlohmann::json::object())) {}
Translation::~Translation() = default;
Translation::Translation(Translation&&) noexcept = default;

const std::vector<Layout>& layouts() {
    static const std::vector<Layout> list{nanogpt::layout(), hf_gpt2::layout(), hf_llama::layout(),
                                          hf_neox::layout()};
    return list;
}

std::string layout_titles() {
    std::string text;
    for (const Layout& layout : layouts()) {
        const bool last = &layout == &layouts().back();
        text += fmt::format("{}{}", text.empty() ? "" : last ? " or " : ", ", layout.title);
    }
    return text;
}

const Layout& find_layout(std::string_view name) {
    std::vector<std::string> names;
    for (const Layout& layout : layouts()) {
        if (layout.name == name) return layout;
        names.emplace_back(layout.name);
    }
    throw UserError(fmt::format("unknown format \"{}\"{}", name, suggestion(name, names)));
}

const Layout* detect_layout(const TensorSet& set) {
    for (const std::string& name : set.names()) {
        if (name.ends_with(".self_attn.q_proj.weight")) return &find_layout("hf-llama");
        if (name.ends_with(".attention.query_key_value.weight")) return &find_layout("hf-neox");
        if (!name.ends_with(".attn.c_attn.weight")) continue;
        const Shape& shape = set.info(name).shape;
        // Outputs are three times the inputs, so the shape tells which of them stands first.
        const bool outputs_first = shape.size() == 2 && shape[0] > shape[1];
        return &find_layout(outputs_first ? "nanogpt" : "hf-gpt2");
    }
    return nullptr;
}

LayerName layer_name(std::string_view name) {
    LayerName result;
    size_t begin = 0;
    while (begin <= name.size()) {
        const size_t end = std::min(name.find('.', begin), name.size());
        int layer = -1;
        if (result.layer < 0 && is_number(name.substr(begin, end - begin), layer)) {
            result.layer = layer;
            result.pattern += kLayer;
        } else {
            result.pattern += name.substr(begin, end - begin);
        }
        if (end < name.size()) result.pattern += '.';
        begin = end + 1;
    }
    return result;
}

std::string with_layer(std::string_view pattern, int layer) {
    std::string name(pattern);
    const size_t place = name.find(kLayer);
    if (place != std::string::npos) name.replace(place, kLayer.size(), fmt::to_string(layer));
    return name;
}

std::string_view bare_name(const Layout& layout, std::string_view name) {
    const auto strip = [&](std::string_view prefix) {
        if (prefix.empty() || !name.starts_with(prefix)) return false;
        name.remove_prefix(prefix.size());
        return true;
    };
    while (strip("_orig_mod.") || strip("module.") || strip(layout.prefix)) continue;
    return name;
}

std::vector<ForeignTensor> foreign_tensors(const Layout& layout,
                                           std::span<const ParameterSpec> specs, int64_t d_head) {
    std::vector<ForeignTensor> tensors;
    std::map<std::string, size_t> place;
    for (size_t i = 0; i < specs.size(); ++i) {
        const LayerName ours = layer_name(specs[i].name);
        const NameRow* row = find_row(layout, ours.pattern);
        if (row == nullptr)
            throw UserError(fmt::format("tensor {} has no place in {}", specs[i].name, layout.name),
                            "keep it as a checkpoint of headroom");
        const std::string theirs = with_layer(row->theirs, ours.layer);
        const auto [entry, is_new] = place.try_emplace(theirs, tensors.size());
        if (is_new) tensors.push_back({theirs, {}, row->orientation, {}});
        ForeignTensor& tensor = tensors[entry->second];
        const bool by_head = row->sharing == Sharing::kByHead;
        append_part(tensor, i, specs[i].shape, by_head ? d_head : specs[i].shape.back());
    }
    for (ForeignTensor& tensor : tensors) close_parts(tensor);
    return tensors;
}

}  // namespace headroom
