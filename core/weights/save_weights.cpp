#include "core/weights/save_weights.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/number_encoder.h"
#include "core/weights/interop/config_in_layout.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Metadata = std::map<std::string, std::string, std::less<>>;

struct TargetPart {
    const ParameterSpec* spec;
    OutputBlocks outputs;
};

/// One tensor of the file to be, and what it holds of the model.
struct Target {
    TensorPlan plan;
    Orientation orientation = Orientation::kSame;
    std::vector<TargetPart> parts;
};

/// Whether a tensor's columns are rotated in interleaved pairs (2j, 2j+1).
bool is_interleaved(const ModelConfig& model, const std::string& name) {
    if (model.pos != Positions::kRope || model.rope_style != RopeStyle::kInterleaved) return false;
    for (const char* end : {".attn.q.weight", ".attn.q.bias", ".attn.k.weight", ".attn.k.bias"})
        if (name.ends_with(end)) return true;
    return false;
}

/// Puts the rotated columns of every head in the order 0, 2, 4, ..., 1, 3, 5, ...: the pairs are
/// then (j, j + rope_dim/2), as Hugging Face has them.
template <class T>
void part_pairs(std::vector<T>& values, const ModelConfig& model) {
    const auto n = static_cast<size_t>(model.rope_dim), half = n / 2;
    const auto d_head = static_cast<size_t>(model.d_head);
    std::vector<T> head(n);
    for (size_t begin = 0; begin < values.size(); begin += d_head) {
        std::copy_n(&values[begin], n, head.begin());
        for (size_t j = 0; j < half; ++j) {
            values[begin + j] = head[2 * j];
            values[begin + half + j] = head[2 * j + 1];
        }
    }
}

class Saver {
  public:
    /// `for_others`: in another tool's layout.
    Saver(const WeightSource& weights, const SaveOptions& options, bool for_others)
        : weights_(weights), options_(options), for_others_(for_others) {}

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
        for (const TargetPart& part : target.parts)
            if (weights_.has(part.spec->name)) return weights_.type(part.spec->name);
        return weights_.type(weights_.specs().front().name);
    }

    std::vector<std::string> take_warnings() { return std::move(warnings_); }

  private:
    std::span<const std::byte> bytes_of(const Target& target) {
        encoder_.clear();
        const bool wide =
            target.plan.type == StoredType::kF64 ||
            std::any_of(target.parts.begin(), target.parts.end(), [&](const TargetPart& part) {
                const std::string& name = part.spec->name;
                return weights_.has(name) && weights_.type(name) == StoredType::kF64;
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
        const ModelConfig& model = weights_.config();
        const auto part_values = [&](const ParameterSpec& part) {
            if (!weights_.has(part.name)) return std::vector<T>(static_cast<size_t>(part.count()));
            std::vector<T> values = weights_.read<T>(part.name);
            if (for_others_ && is_interleaved(model, part.name)) part_pairs(values, model);
            return values;
        };
        if (target.parts.size() == 1 && target.orientation == Orientation::kSame)
            return part_values(*target.parts.front().spec);
        std::vector<T> whole(static_cast<size_t>(count_of(target.plan.shape)));
        for (const TargetPart& part : target.parts) {
            const std::vector<T> values = part_values(*part.spec);
            for_each_number(part.spec->shape, part.outputs, target.orientation,
                            [&](size_t ours, size_t theirs) { whole[theirs] = values[ours]; });
        }
        return whole;
    }

    const WeightSource& weights_;
    const SaveOptions& options_;
    bool for_others_;
    NumberEncoder encoder_;
    std::vector<std::string> warnings_;
};

void refuse_folder(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        throw UserError(fmt::format("{} is a folder", path.string()),
                        "give the name of a file, such as model.safetensors");
}

/// The file for the weights: model.safetensors in the folder `path`, or `path` itself if it is
/// called so. Its configuration goes beside it, where no other may be.
fs::path weights_file(const fs::path& path, const std::string& config) {
    if (path.extension() != ".safetensors") {
        make_folder(path);
        return path / "model.safetensors";
    }
    refuse_folder(path);
    const fs::path beside = path.parent_path() / "config.json";
    std::error_code ignored;
    if (fs::exists(beside, ignored) && read_text(beside) != config)
        throw UserError(fmt::format("{} is of another model", beside.string()),
                        "give a folder for this one");
    return path;
}

/// Hugging Face and nanoGPT look for every name with the layout's prefix but the head.
std::string written_name(const Layout& layout, const std::string& bare) {
    return bare == layout.head ? bare : std::string(layout.prefix) + bare;
}

std::vector<Target> targets_in_layout(const Saver& saver, const Layout& layout,
                                      const std::vector<ParameterSpec>& specs, int64_t d_head) {
    std::vector<Target> targets;
    for (const ForeignTensor& tensor : foreign_tensors(layout, specs, d_head)) {
        Target target{
            {written_name(layout, tensor.name), {}, tensor.shape}, tensor.orientation, {}};
        for (const ForeignPart& part : tensor.parts)
            target.parts.push_back({&specs[part.spec], part.outputs});
        target.plan.type = saver.type_of(target);
        targets.push_back(std::move(target));
    }
    return targets;
}

}  // namespace

std::vector<std::string> save_weights(const WeightSource& weights, const fs::path& path,
                                      const SaveOptions& options) {
    refuse_folder(path);
    Saver saver(weights, options, false);
    std::vector<Target> targets;
    for (const ParameterSpec& spec : weights.specs()) {
        Target target{{spec.name, {}, spec.shape}, Orientation::kSame, {{&spec, {}}}};
        target.plan.type = saver.type_of(target);
        targets.push_back(std::move(target));
    }
    CheckpointMetadata metadata = weights.metadata();
    metadata.other.insert(options.other.begin(), options.other.end());
    saver.save(path, checkpoint_entries(metadata), targets);
    return saver.take_warnings();
}

std::vector<std::string> save_in_layout(const WeightSource& weights, const Layout& layout,
                                        const fs::path& path, const SaveOptions& options) {
    const std::vector<ParameterSpec> specs =
        parameter_specs(config_in_layout(layout, weights.config()));
    nlohmann::ordered_json document = layout.config_of(weights.config());
    for (const auto& [key, id] : options.token_ids)
        if (document.contains(key)) document[key] = id;
    const std::string config = document.dump(2) + "\n";
    Saver saver(weights, options, true);
    std::vector<Target> targets = targets_in_layout(saver, layout, specs, weights.config().d_head);
    if (!layout.is_folder) {
        refuse_folder(path);
        // Loading a nanoGPT state dict asks for both names of the tied matrix.
        targets.push_back(targets.front());
        targets.back().plan.name = layout.head;
        saver.save(path, {{"format", "pt"}, {"model_args", config}}, targets);
        return saver.take_warnings();
    }
    const fs::path file = weights_file(path, config);
    saver.save(file, {{"format", "pt"}}, targets);
    write_file_atomically(file.parent_path() / "config.json", config);
    return saver.take_warnings();
}

}  // namespace headroom
