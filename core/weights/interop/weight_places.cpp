#include "core/weights/interop/weight_places.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

constexpr std::string_view kEmbedding = "wte.weight", kHead = "lm_head.weight";

void check_tensor(const TensorSet& set, const std::string& name, const Shape& expected) {
    const TensorInfo& info = set.info(name);
    const std::string file = set.file_of(name).path().string();
    if (info.shape != expected)
        throw UserError(fmt::format("{}: tensor {} has shape {}, the model needs {}", file,
                                    shown(name), to_string(info.shape), to_string(expected)),
                        "load it with the configuration it was made with");
    if (!is_floating(info.type))
        throw UserError(
            fmt::format("{}: tensor {} has the type {}", file, shown(name), name_of(info.type)),
            "weights are F32, F64, BF16 or F16");
}

[[noreturn]] void refuse_missing(const TensorSet& set, std::string_view name,
                                 const std::set<std::string, std::less<>>& unused) {
    const std::vector<std::string> candidates(unused.begin(), unused.end());
    const std::string near = nearest(name, candidates);
    throw UserError(
        fmt::format("{}: tensor {} is missing", set.path().string(), shown(std::string(name))),
        near.empty() ? "get the complete checkpoint, or check its configuration"
                     : fmt::format("the nearest name in it is {}", shown(near)));
}

[[noreturn]] void refuse_unused(const TensorSet& set, const std::string& name) {
    throw UserError(fmt::format("{}: tensor {} does not belong to this model",
                                set.file_of(name).path().string(), shown(name)),
                    "check the configuration of the checkpoint");
}

bool equal_values(const TensorSet& set, const std::string& a, const std::string& b) {
    const TensorInfo &left = set.info(a), &right = set.info(b);
    if (left.shape != right.shape) return false;
    const auto raw = [&](const std::string& name) { return set.file_of(name).raw(name); };
    if (left.type == right.type)
        return std::memcmp(raw(a).data(), raw(b).data(), raw(a).size()) == 0;
    return set.file_of(a).read_as<double>(a) == set.file_of(b).read_as<double>(b);
}

bool all_zero(const TensorSet& set, const std::string& name) {
    const auto values = set.file_of(name).read_as<double>(name);
    return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

/// Finds the tensors of one layout and remembers which of the file's are still unused.
class Placement {
  public:
    Placement(const Layout& layout, const BareTensors& tensors,
              std::span<const ParameterSpec> specs, int64_t d_head,
              const std::set<std::string, std::less<>>& zero_patterns)
        : layout_(layout), tensors_(tensors), specs_(specs), d_head_(d_head), zero_(zero_patterns) {
        for (const auto& [bare, name] : tensors.all()) unused_.insert(bare);
        tied_ = std::none_of(specs.begin(), specs.end(),
                             [](const ParameterSpec& spec) { return spec.name == kHead; });
    }

    WeightPlaces find() && {
        for (const ForeignTensor& tensor : foreign_tensors(layout_, specs_, d_head_)) place(tensor);
        check_what_is_left();
        return std::move(places_);
    }

  private:
    void place(const ForeignTensor& tensor) {
        const std::string* name = tensors_.find(tensor.name);
        const bool is_embedding = specs_[tensor.parts.front().spec].name == kEmbedding;
        // Of a tied pair, some writers keep only the head.
        if (name == nullptr && is_embedding && tied_) name = tensors_.find(layout_.head);
        if (name == nullptr && tensor.name == layout_.head)
            throw UserError(fmt::format("{}: tensor {} is missing", tensors_.set().path().string(),
                                        layout_.head),
                            "if the embedding is the head, too, give --set model.tie=true");
        if (name == nullptr && !may_be_zero(tensor))
            refuse_missing(tensors_.set(), full_name(tensor.name), unused_);
        if (name != nullptr) {
            check_tensor(tensors_.set(), *name, tensor.shape);
            // Its own tool would leave out what the configuration says is not there.
            if (may_be_zero(tensor) && !all_zero(tensors_.set(), *name))
                refuse_unused(tensors_.set(), *name);
            unused_.erase(std::string(bare_name(layout_, *name)));
            if (is_embedding) embedding_ = *name;
        }
        for (const ForeignPart& part : tensor.parts)
            places_[specs_[part.spec].name] = {name == nullptr ? "" : *name, tensor.orientation,
                                               part.outputs};
    }

    bool may_be_zero(const ForeignTensor& tensor) const {
        return std::all_of(tensor.parts.begin(), tensor.parts.end(), [&](const ForeignPart& part) {
            return zero_.contains(layer_name(specs_[part.spec].name).pattern);
        });
    }

    void check_what_is_left() const {
        for (const std::string& bare : unused_) {
            const std::string& name = *tensors_.find(bare);
            const std::string pattern = layer_name(bare).pattern;
            const auto& ignored = layout_.ignored;
            if (std::find(ignored.begin(), ignored.end(), pattern) != ignored.end()) continue;
            if (bare == layout_.head && tied_) {
                check_tied_head(name);
            } else if (!is_zero_bias(bare, pattern)) {
                refuse_unused(tensors_.set(), name);
            }
        }
    }

    void check_tied_head(const std::string& head) const {
        if (equal_values(tensors_.set(), head, embedding_)) return;
        throw UserError(fmt::format("{}: {} differs from {} though the model ties them",
                                    tensors_.set().path().string(), shown(head), shown(embedding_)),
                        "import it with --set model.tie=false to keep both");
    }

    /// A bias of a model that is loaded without biases, all zero.
    bool is_zero_bias(const std::string& bare, const std::string& pattern) const {
        const bool is_bias =
            std::any_of(layout_.rows.begin(), layout_.rows.end(), [&](const NameRow& row) {
                return row.theirs == pattern && row.ours.ends_with(".bias");
            });
        const std::string& name = *tensors_.find(bare);
        return is_bias && has_weight_beside(bare) && is_floating(tensors_.set().info(name).type) &&
               all_zero(tensors_.set(), name);
    }

    /// Whether the model has the weight that a bias belongs to.
    bool has_weight_beside(const std::string& bias) const {
        constexpr std::string_view kBias = "bias";
        const std::string weight = bias.substr(0, bias.size() - kBias.size()) + "weight";
        return tensors_.find(weight) != nullptr && !unused_.contains(weight);
    }

    /// As this file would spell it.
    std::string full_name(const std::string& bare) const {
        for (const auto& [other, name] : tensors_.all())
            if (name != other && other != layout_.head)
                return name.substr(0, name.size() - other.size()) + bare;
        return bare;
    }

    const Layout& layout_;
    const BareTensors& tensors_;
    std::span<const ParameterSpec> specs_;
    int64_t d_head_;
    const std::set<std::string, std::less<>>& zero_;
    std::set<std::string, std::less<>> unused_;
    WeightPlaces places_;
    std::string embedding_;
    bool tied_ = false;
};

}  // namespace

WeightPlaces places_of_ours(const TensorSet& set, std::span<const ParameterSpec> specs) {
    std::set<std::string, std::less<>> unused(set.names().begin(), set.names().end());
    WeightPlaces places;
    for (const ParameterSpec& spec : specs) {
        if (!set.has(spec.name)) refuse_missing(set, spec.name, unused);
        check_tensor(set, spec.name, spec.shape);
        unused.erase(spec.name);
        const int64_t n = spec.shape.back();
        places[spec.name] = {spec.name, Orientation::kSame, {0, n, n, n}};
    }
    if (!unused.empty()) refuse_unused(set, *unused.begin());
    return places;
}

WeightPlaces places_in_layout(const Layout& layout, const BareTensors& tensors,
                              std::span<const ParameterSpec> specs, int64_t d_head,
                              const std::set<std::string, std::less<>>& zero_patterns) {
    return Placement(layout, tensors, specs, d_head, zero_patterns).find();
}

}  // namespace headroom
