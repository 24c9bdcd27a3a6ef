#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/model/parameters.h"
#include "core/weights/interop/config_reader.h"
#include "core/weights/interop/output_blocks.h"
#include "core/weights/interop/tensor_set.h"

namespace headroom {

/// How several of our tensors share one of theirs along its outputs, in the order of the lines: one
/// whole after the other (c_attn), or, head after head, the columns that each has of it (GPT-NeoX's
/// query_key_value).
enum class Sharing { kSideBySide, kByHead };

/// One line of a layout's table. "{i}" stands for the layer.
struct NameRow {
    std::string_view ours;
    std::string_view theirs;  ///< without the layout's prefix
    Orientation orientation = Orientation::kSame;
    Sharing sharing = Sharing::kSideBySide;
};

/// What a configuration of another tool says in our keys.
struct Translation {
    Translation();
    ~Translation();
    Translation(Translation&&) noexcept;

    std::unique_ptr<nlohmann::json> keys;  ///< of the model section; any of them may be missing
    /// Patterns of our biases that the file does not have: they are zero.
    std::set<std::string, std::less<>> zero;
    /// The longest sequence for which we compute the same (0 = any), and why.
    int64_t longest = 0;
    std::string longest_because;
};

/// How one other tool names, turns and describes its weights. A layout is a table in a file of its
/// own and a line in layouts().
struct Layout {
    std::string_view name;    ///< as --format spells it
    std::string_view title;   ///< for people
    std::string_view prefix;  ///< in front of every name but the head's; optional when reading
    std::string_view head = "lm_head.weight";  ///< their name of it
    bool is_folder = true;  ///< written as a folder with a config.json, not as one file
    std::vector<NameRow> rows;
    std::vector<std::string_view> ignored;  ///< tensors that carry no weights, such as masks
    /// Reads a configuration; UserError naming the key for what cannot be computed here.
    Translation (*translate)(const ConfigReader&);
    /// Writes one; what it cannot express, it leaves out.
    nlohmann::ordered_json (*config_of)(const ModelConfig&);
};

const std::vector<Layout>& layouts();
/// Their titles for people: "nanoGPT, … or Hugging Face GPT-NeoX".
std::string layout_titles();
/// UserError with the known names if there is none of that name.
const Layout& find_layout(std::string_view name);
/// The layout of these tensors, told from names and shapes; nullptr if it is none.
const Layout* detect_layout(const TensorSet& set);

/// "h.3.attn.q.weight" as "h.{i}.attn.q.weight" and 3; layer -1 if no part of it is a number.
struct LayerName {
    std::string pattern;
    int layer = -1;
};
LayerName layer_name(std::string_view name);
std::string with_layer(std::string_view pattern, int layer);

/// A name without what compilers, wrappers and the layout put in front: "_orig_mod.", "module.".
std::string_view bare_name(const Layout& layout, std::string_view name);

/// One of our tensors in one of a file.
struct ForeignPart {
    size_t spec;  ///< index into `specs`
    OutputBlocks outputs;
};

/// One tensor of a file in this layout: its bare name, its shape there, and which of our tensors it
/// holds.
struct ForeignTensor {
    std::string name;
    Shape shape;
    Orientation orientation = Orientation::kSame;
    std::vector<ForeignPart> parts;
};

/// The tensors of a model of ours in this layout. UserError naming a tensor that has no place
/// there.
std::vector<ForeignTensor> foreign_tensors(const Layout& layout,
                                           std::span<const ParameterSpec> specs, int64_t d_head);

}  // namespace headroom
