#include "core/weights/interop/infer_keys.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr int64_t kAssumedBlockSize = 2048;

/// Looks at the tensors of layer 0 through the layout's table, in our orientation.
class Inference {
  public:
    Inference(const Layout& layout, const BareTensors& tensors, Translation& translation)
        : layout_(layout), tensors_(tensors), translation_(translation), keys_(*translation.keys) {}

    void sizes() {
        fill("vocab_size", dimension("wte.weight", 0));
        if (!keys_.contains("vocab_size")) fill("vocab_size", dimension("lm_head.weight", 1));
        fill("d_model", dimension("h.{i}.ln_1.weight", 0));
        fill("d_ff", dimension("h.{i}.mlp.up.weight", 1));
        fill("n_layer", layer_count());
        fill("block_size", dimension("wpe.weight", 0));
        fill("d_head", dimension("h.{i}.attn.q_norm.weight", 0));
    }

    /// Heads from the widths of q and k, where these are tensors of their own.
    void heads() {
        const int64_t queries = own_outputs("h.{i}.attn.q.weight");
        if (keys_.contains("d_head") && width("d_head") > 0)
            fill("n_head", queries / width("d_head"));
        if (!keys_.contains("n_head")) refuse_unknown_heads(queries);
        const int64_t n_head = width("n_head");
        if (n_head > 0 && queries % n_head == 0) fill("d_head", queries / n_head);
        const int64_t d_head = width("d_head");
        if (d_head > 0) fill("n_kv_head", own_outputs("h.{i}.attn.k.weight") / d_head);
    }

    void biases() {
        bool any = false;
        for (const NameRow& row : layout_.rows) {
            if (!row.ours.ends_with(".bias")) continue;
            if (is_there(row))
                any = true;
            else
                translation_.zero.emplace(row.ours);
        }
        // Layouts that have biases have them everywhere, but for Llama's.
        if (layout_.name != "hf-llama") translation_.zero.clear();
        keys_["bias"] = any;
    }

    void head_of_its_own() {
        if (layout_.name == "hf-llama") keys_["tie"] = tensors_.find("lm_head.weight") == nullptr;
    }

    void query_norm() {
        if (shape_of("h.{i}.attn.q_norm.weight").empty()) return;
        keys_["qk_norm"] = true;
        fill("qk_norm_eps", keys_.at("norm_eps"));
    }

  private:
    template <class Value>
    void fill(const char* key, const Value& value) {
        if constexpr (std::is_same_v<Value, int64_t>)
            if (value <= 0) return;
        if (!keys_.contains(key)) keys_[key] = value;
    }

    /// A key as a size; 0 if it is none, which parse_model_config will complain about.
    int64_t width(const char* key) const {
        return keys_.contains(key) && keys_.at(key).is_number_integer()
                   ? keys_.at(key).get<int64_t>()
                   : 0;
    }

    const NameRow* row_of(std::string_view ours) const {
        const auto row = std::find_if(layout_.rows.begin(), layout_.rows.end(),
                                      [&](const NameRow& r) { return r.ours == ours; });
        return row == layout_.rows.end() ? nullptr : &*row;
    }

    bool is_there(const NameRow& row) const {
        return std::any_of(tensors_.all().begin(), tensors_.all().end(), [&](const auto& entry) {
            return layer_name(entry.first).pattern == row.theirs;
        });
    }

    /// In our orientation; empty if the tensor is not there.
    Shape shape_of(std::string_view ours) const {
        const NameRow* row = row_of(ours);
        const std::string* name =
            row == nullptr ? nullptr : tensors_.find(with_layer(row->theirs, 0));
        if (name == nullptr) return {};
        Shape shape = tensors_.set().info(*name).shape;
        if (row->orientation == Orientation::kTransposed) std::reverse(shape.begin(), shape.end());
        return shape;
    }

    int64_t dimension(std::string_view ours, size_t axis) const {
        const Shape shape = shape_of(ours);
        return axis < shape.size() ? shape[axis] : 0;
    }

    /// The outputs of one of our matrices, also inside a tensor that holds several of equal width.
    int64_t own_outputs(std::string_view ours) const {
        const NameRow* row = row_of(ours);
        if (row == nullptr) return 0;
        const auto parts = std::count_if(layout_.rows.begin(), layout_.rows.end(),
                                         [&](const NameRow& r) { return r.theirs == row->theirs; });
        return dimension(ours, 1) / parts;
    }

    int64_t layer_count() const {
        int64_t count = 0;
        for (const auto& [bare, name] : tensors_.all())
            count = std::max<int64_t>(count, int64_t{layer_name(bare).layer} + 1);
        return count;
    }

    [[noreturn]] void refuse_unknown_heads(int64_t queries) const {
        const int64_t likely = queries % 64 == 0 ? queries / 64 : 0;
        throw UserError(
            fmt::format("{}: nothing tells the number of heads", tensors_.set().path().string()),
            fmt::format("put its config.json beside it or import it with --set model.n_head=N{}",
                        likely > 0 ? fmt::format(" ({} if heads are 64 wide)", likely) : ""));
    }

    const Layout& layout_;
    const BareTensors& tensors_;
    Translation& translation_;
    json& keys_;
};

}  // namespace

BareTensors::BareTensors(const Layout& layout, const TensorSet& set) : set_(&set) {
    for (const std::string& name : set.names()) {
        const auto [entry, is_new] = names_.emplace(bare_name(layout, name), name);
        if (!is_new)
            throw UserError(fmt::format("{}: {} and {} are the same tensor", set.path().string(),
                                        shown(entry->second), shown(name)),
                            "remove one of them");
    }
}

const std::string* BareTensors::find(std::string_view bare) const {
    const auto found = names_.find(bare);
    return found == names_.end() ? nullptr : &found->second;
}

void infer_kind(const Layout& layout, const BareTensors& tensors, Translation& translation,
                std::vector<std::string>& notes) {
    Inference inference(layout, tensors, translation);
    inference.biases();
    inference.head_of_its_own();
    inference.query_norm();
    const json& keys = *translation.keys;
    std::string assumed;
    for (const char* key : {"norm_eps", "mlp", "rope_theta"})
        if (keys.contains(key))
            assumed += fmt::format("{}model.{} = {}", assumed.empty() ? "" : ", ", key,
                                   shown(keys.at(key)));
    if (!assumed.empty())
        notes.push_back(
            fmt::format("there is no config.json: {} assumed; change it with --set", assumed));
}

void infer_biases(const Layout& layout, const BareTensors& tensors, Translation& translation) {
    Inference(layout, tensors, translation).biases();
}

void infer_sizes(const Layout& layout, const BareTensors& tensors, Translation& translation,
                 std::vector<std::string>& notes) {
    Inference inference(layout, tensors, translation);
    inference.sizes();
    inference.heads();
    json& keys = *translation.keys;
    if (keys.contains("block_size")) return;
    keys["block_size"] = kAssumedBlockSize;
    notes.push_back(
        fmt::format("nothing tells the longest sequence: model.block_size = {} is "
                    "assumed",
                    kAssumedBlockSize));
}

}  // namespace headroom
