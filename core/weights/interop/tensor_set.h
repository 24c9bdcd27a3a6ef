#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/safetensors.h"

namespace headroom {

/// Whether a path looks like a checkpoint, if only to be refused with a reason: by a file's name,
/// or a folder that has model.safetensors, its index or a config.json.
bool names_checkpoint(const std::filesystem::path& path);

/// The tensors of one checkpoint, in one file or in the shards that an index file lists. Every
/// header is checked when it is opened; the numbers stay on the disk until they are read. Const
/// members may be called from any thread.
class TensorSet {
  public:
    /// `path` is a .safetensors file, an index (*.safetensors.index.json), or a folder with one of
    /// them. UserError naming the file for anything else: a PyTorch pickle, an index whose shards
    /// lie outside its folder, lack a tensor or hold one that it does not list.
    static TensorSet open(const std::filesystem::path& path);

    /// What was asked for, and the file (with weights or an index) that it led to.
    const std::filesystem::path& path() const { return path_; }
    const std::filesystem::path& main_file() const { return main_file_; }
    /// Sorted.
    const std::vector<std::string>& names() const { return names_; }
    bool has(std::string_view name) const { return place_.contains(name); }
    const TensorInfo& info(std::string_view name) const { return file_of(name).info(name); }
    /// The file that holds the tensor. UserError if there is no such tensor.
    const SafetensorsFile& file_of(std::string_view name) const;
    /// Of the only file; empty if there are several.
    const std::map<std::string, std::string, std::less<>>& metadata() const;

  private:
    void add_file(const std::filesystem::path& file);
    void add_shards(const std::filesystem::path& index);

    std::filesystem::path path_, main_file_;
    std::vector<SafetensorsFile> files_;
    std::map<std::string, size_t, std::less<>> place_;  ///< by tensor, in files_
    std::vector<std::string> names_;
};

}  // namespace headroom
