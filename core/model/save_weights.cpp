#include "core/model/save_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/bf16.h"
#include "core/base/error.h"
#include "core/base/f16.h"
#include "core/base/file.h"
#include "core/checkpoint/checkpoint.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Metadata = std::map<std::string, std::string, std::less<>>;

/// Turns numbers into the bytes of a stored type and counts those that are not finite.
class Encoder {
  public:
    template <class T>
    std::span<const std::byte> encode(const std::vector<T>& values, StoredType type) {
        switch (type) {
            case StoredType::kF64:
                return as<double>(values);
            case StoredType::kF32:
                return as<float>(values);
            case StoredType::kBF16:
                return as<bf16>(values);
            case StoredType::kF16:
                return as<f16>(values);
            default:
                CHECK(false, "weights are stored in a floating type");
        }
    }

    int64_t not_finite() const { return not_finite_; }  ///< of the last tensor, as read
    int64_t overflown() const { return overflown_; }    ///< finite only before it was stored

  private:
    template <class Stored, class T>
    std::span<const std::byte> as(const std::vector<T>& values) {
        bytes_.resize(values.size() * sizeof(Stored));
        not_finite_ = overflown_ = 0;
        using Wide = std::conditional_t<std::is_same_v<Stored, double>, double, float>;
        for (size_t i = 0; i < values.size(); ++i) {
            const Stored stored(static_cast<Wide>(values[i]));
            std::memcpy(&bytes_[i * sizeof(Stored)], &stored, sizeof(Stored));
            if (!std::isfinite(values[i]))
                ++not_finite_;
            else if (!std::isfinite(static_cast<Wide>(stored)))
                ++overflown_;
        }
        return bytes_;
    }

    std::vector<std::byte> bytes_;
    int64_t not_finite_ = 0, overflown_ = 0;
};

/// One tensor of the file to be: parts of the model side by side.
struct Target {
    TensorPlan plan;
    Orientation orientation = Orientation::kSame;
    std::vector<const ParameterSpec*> parts;
};

/// Writes `part` into columns [begin, ...) of a tensor with `outputs` of them.
template <class T>
void put_part(const std::vector<T>& part, const Shape& shape, int64_t begin, int64_t outputs,
              Orientation orientation, std::vector<T>& whole) {
    const auto n = static_cast<size_t>(shape.back()), first = static_cast<size_t>(begin);
    const size_t rows = shape.size() == 1 ? 1 : static_cast<size_t>(shape.front());
    const auto all = static_cast<size_t>(outputs);
    if (orientation == Orientation::kSame) {
        for (size_t i = 0; i < rows; ++i) std::copy_n(&part[i * n], n, &whole[i * all + first]);
        return;
    }
    constexpr size_t kTile = 32;  // both sides stay in the cache
    for (size_t i0 = 0; i0 < rows; i0 += kTile)
        for (size_t j0 = 0; j0 < n; j0 += kTile)
            for (size_t i = i0; i < std::min(rows, i0 + kTile); ++i)
                for (size_t j = j0; j < std::min(n, j0 + kTile); ++j)
                    whole[(first + j) * rows + i] = part[i * n + j];
}

class Saver {
  public:
    Saver(const ModelWeights& weights, const SaveOptions& options)
        : weights_(weights), options_(options) {}

    void save(const fs::path& path, const Metadata& metadata, const std::vector<Target>& targets) {
        std::vector<TensorPlan> plan;
        int64_t all = 0, done = 0;
        for (const Target& target : targets) {
            plan.push_back(target.plan);
            all += count_of(target.plan.shape);
        }
        write_safetensors(path, metadata, plan, [&](size_t i) {
            if (options_.progress)
                options_.progress(static_cast<double>(done) / static_cast<double>(all));
            done += count_of(targets[i].plan.shape);
            return bytes_of(targets[i]);
        });
    }

    /// The type of a tensor: what is asked for, or as its first part is stored.
    StoredType type_of(const Target& target) const {
        if (options_.type) return *options_.type;
        for (const ParameterSpec* part : target.parts)
            if (has(*part)) return weights_.type(part->name);
        return weights_.type(weights_.specs().front().name);
    }

    std::vector<std::string> take_warnings() { return std::move(warnings_); }

  private:
    bool has(const ParameterSpec& part) const {
        return std::any_of(weights_.specs().begin(), weights_.specs().end(),
                           [&](const ParameterSpec& spec) { return spec.name == part.name; });
    }

    std::span<const std::byte> bytes_of(const Target& target) {
        const bool wide = target.plan.type == StoredType::kF64 ||
                          std::any_of(target.parts.begin(), target.parts.end(), [&](auto* part) {
                              return has(*part) && weights_.type(part->name) == StoredType::kF64;
                          });
        const auto bytes = wide ? encoder_.encode(values_of<double>(target), target.plan.type)
                                : encoder_.encode(values_of<float>(target), target.plan.type);
        if (encoder_.not_finite() > 0)
            warnings_.push_back(fmt::format("tensor {} has {} numbers that are not finite",
                                            target.plan.name, encoder_.not_finite()));
        if (encoder_.overflown() > 0)
            warnings_.push_back(fmt::format("tensor {}: {} numbers are too large for {}",
                                            target.plan.name, encoder_.overflown(),
                                            name_of(target.plan.type)));
        return bytes;
    }

    template <class T>
    std::vector<T> values_of(const Target& target) const {
        const auto part_values = [&](const ParameterSpec& part) {
            return has(part) ? weights_.read<T>(part.name)
                             : std::vector<T>(static_cast<size_t>(part.count()));
        };
        if (target.parts.size() == 1 && target.orientation == Orientation::kSame)
            return part_values(*target.parts.front());
        int64_t outputs = 0, begin = 0;
        for (const ParameterSpec* part : target.parts) outputs += part->shape.back();
        std::vector<T> whole(static_cast<size_t>(count_of(target.plan.shape)));
        for (const ParameterSpec* part : target.parts) {
            put_part(part_values(*part), part->shape, begin, outputs, target.orientation, whole);
            begin += part->shape.back();
        }
        return whole;
    }

    const ModelWeights& weights_;
    const SaveOptions& options_;
    Encoder encoder_;
    std::vector<std::string> warnings_;
};

void refuse_folder(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        throw UserError(fmt::format("{} is a folder", path.string()),
                        "give the name of a file, such as model.safetensors");
}

/// Hugging Face and nanoGPT look for every name with the layout's prefix but the head.
std::string written_name(const Layout& layout, const std::string& bare) {
    return bare == "lm_head.weight" ? bare : std::string(layout.prefix) + bare;
}

std::vector<Target> targets_in_layout(const Saver& saver, const Layout& layout,
                                      const std::vector<ParameterSpec>& specs) {
    std::vector<Target> targets;
    for (const ForeignTensor& tensor : foreign_tensors(layout, specs)) {
        Target target{
            {written_name(layout, tensor.name), {}, tensor.shape}, tensor.orientation, {}};
        for (const size_t part : tensor.parts) target.parts.push_back(&specs[part]);
        target.plan.type = saver.type_of(target);
        targets.push_back(std::move(target));
    }
    return targets;
}

}  // namespace

std::vector<std::string> save_as_ours(const ModelWeights& weights, const fs::path& path,
                                      const SaveOptions& options) {
    refuse_folder(path);
    Saver saver(weights, options);
    std::vector<Target> targets;
    for (const ParameterSpec& spec : weights.specs()) {
        Target target{{spec.name, {}, spec.shape}, Orientation::kSame, {&spec}};
        target.plan.type = saver.type_of(target);
        targets.push_back(std::move(target));
    }
    saver.save(path, checkpoint_entries(weights.checkpoint_metadata()), targets);
    return saver.take_warnings();
}

std::vector<std::string> save_in_layout(const ModelWeights& weights, const Layout& layout,
                                        const fs::path& path, const SaveOptions& options) {
    const std::vector<ParameterSpec> specs =
        parameter_specs(config_in_layout(layout, weights.config()));
    const std::string config = layout.config_of(weights.config()).dump(2) + "\n";
    Saver saver(weights, options);
    std::vector<Target> targets = targets_in_layout(saver, layout, specs);
    if (!layout.is_folder) {
        refuse_folder(path);
        // Loading a nanoGPT state dict asks for both names of the tied matrix.
        targets.push_back(targets.front());
        targets.back().plan.name = "lm_head.weight";
        saver.save(path, {{"format", "pt"}, {"model_args", config}}, targets);
        return saver.take_warnings();
    }
    make_folder(path);
    saver.save(path / "model.safetensors", {{"format", "pt"}}, targets);
    write_file_atomically(path / "config.json", config);
    return saver.take_warnings();
}

}  // namespace headroom
