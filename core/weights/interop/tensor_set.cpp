#include "core/weights/interop/tensor_set.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnd = ".safetensors.index.json";
constexpr char kSaveAsSafetensors[] =
    "save it from Python with safetensors.torch.save_model(model, \"model.safetensors\")";

bool ends_as_pickle(const fs::path& path) {
    const std::string end = path.extension().string();
    return end == ".pt" || end == ".pth" || end == ".bin" || end == ".ckpt" || end == ".pkl";
}

/// Pickles run code when they are opened, so they are never read.
void refuse_pickle(const fs::path& path) {
    if (ends_as_pickle(path))
        throw UserError(fmt::format("{} is a PyTorch pickle, which could run any program when it "
                                    "is opened",
                                    path.string()),
                        kSaveAsSafetensors);
}

/// The file in `folder` that stands for the checkpoint.
fs::path main_file_of(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : {"model.safetensors", "model.safetensors.index.json"})
        if (fs::exists(folder / name, ignored)) return folder / name;
    std::vector<fs::path> weights;
    for (const fs::path& file : entries_of(folder))
        if (file.extension() == ".safetensors" && file.stem().extension() != ".optim")
            weights.push_back(file);
    if (weights.size() == 1) return weights.front();
    if (weights.size() > 1)
        throw UserError(fmt::format("{} has {} safetensors files and no index that joins them",
                                    folder.string(), weights.size()),
                        fmt::format("name one of them, such as {}", weights.front().string()));
    for (const fs::path& file : entries_of(folder)) refuse_pickle(file);
    throw UserError(fmt::format("{} has no safetensors file", folder.string()),
                    "name a checkpoint file or its folder");
}

bool stays_in_folder(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
           name.find('\\') == std::string::npos && name.find('\0') == std::string::npos;
}

}  // namespace

bool names_checkpoint(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        return path.extension() == ".safetensors" || path.string().ends_with(kIndexEnd) ||
               ends_as_pickle(path);
    for (const char* name : {"model.safetensors", "model.safetensors.index.json", "config.json"})
        if (fs::exists(path / name, ignored)) return true;
    return false;
}

TensorSet TensorSet::open(const fs::path& path) {
    std::error_code ignored;
    const bool is_folder = fs::is_directory(path, ignored);
    const fs::path main = is_folder ? main_file_of(path) : path;
    refuse_pickle(main);
    TensorSet set;
    set.path_ = path;
    set.main_file_ = main;
    if (main.string().ends_with(kIndexEnd))
        set.add_shards(main);
    else
        set.add_file(main);
    for (const auto& [name, place] : set.place_) set.names_.push_back(name);
    return set;
}

void TensorSet::add_file(const fs::path& file) {
    files_.push_back(SafetensorsFile::open(file));
    for (const std::string& name : files_.back().names()) {
        const auto [entry, is_new] = place_.emplace(name, files_.size() - 1);
        if (!is_new)
            throw UserError(fmt::format("tensor {} stands both in {} and in {}", shown(name),
                                        files_[entry->second].path().string(), file.string()),
                            "get the checkpoint anew");
    }
}

void TensorSet::add_shards(const fs::path& index) {
    const nlohmann::json document = load_json(index);
    const auto refuse = [&](const std::string& what) {
        throw UserError(fmt::format("{}: {}", index.string(), what), "get the checkpoint anew");
    };
    if (!document.is_object() || !document.contains("weight_map") ||
        !document.at("weight_map").is_object())
        refuse("it has no weight_map");
    std::map<std::string, std::vector<std::string>> tensors_of;
    for (const auto& [tensor, file] : document.at("weight_map").items()) {
        if (!file.is_string() || !stays_in_folder(file.get<std::string>()))
            refuse(fmt::format("tensor {} is in {}, which names no file in its folder",
                               shown(tensor), shown(file)));
        tensors_of[file.get<std::string>()].push_back(tensor);
    }
    if (tensors_of.empty()) refuse("its weight_map lists nothing");
    for (const auto& [name, tensors] : tensors_of) {
        add_file(index.parent_path() / name);
        for (const std::string& tensor : tensors)
            if (!files_.back().has(tensor))
                refuse(fmt::format("tensor {} is not in {}", shown(tensor), shown(name)));
        for (const std::string& tensor : files_.back().names())
            if (!document.at("weight_map").contains(tensor))
                refuse(fmt::format("it does not list tensor {} of {}", shown(tensor), shown(name)));
    }
}

const SafetensorsFile& TensorSet::file_of(std::string_view name) const {
    const auto found = place_.find(name);
    // Any file gives the message for a tensor that is in none.
    if (found == place_.end()) files_.front().info(name);
    CHECK(found != place_.end(), "info() refuses unknown names");
    return files_[found->second];
}

const std::map<std::string, std::string, std::less<>>& TensorSet::metadata() const {
    static const std::map<std::string, std::string, std::less<>> none;
    return files_.size() == 1 ? files_.front().metadata() : none;
}

}  // namespace headroom
