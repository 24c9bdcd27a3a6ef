#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/config/model_config.h"

/// Private to core/config: how keys that are not given get their defaults.
namespace headroom {

/// Whose keys they are: the vocabulary of a job may follow from its data, that of a checkpoint not.
enum class KeysOf { kJob, kCheckpoint };

/// The keys of one section, of which some are given. A key that is read gets its default, which may
/// follow from other keys; their order does not matter.
class OpenKeys {
  public:
    /// `section`: "model" or "train". `keys`: the given ones, each checked by itself; outlives
    /// this. `model`: of the job, for the keys of "train".
    OpenKeys(std::string section, nlohmann::json& keys, KeysOf use,
             const ModelConfig* model = nullptr);

    bool has(const std::string& key) const;
    /// REQUIRES: a key of the section that is written out; its default needs no default of itself.
    const nlohmann::json& at(const std::string& key);
    int64_t whole(const std::string& key);
    double number(const std::string& key);

    KeysOf use() const { return use_; }
    const ModelConfig& model() const { return *model_; }

    /// Gives every key its default that is written out.
    void fill();

  private:
    std::string section_;
    nlohmann::json& keys_;
    KeysOf use_;
    const ModelConfig* model_;
    std::set<std::string> completed_;
};

/// What an open key is.
using Default = std::function<nlohmann::json(OpenKeys& keys)>;
/// A given value with what it leaves open itself.
using Completion = std::function<nlohmann::json(const nlohmann::json& given, OpenKeys& keys)>;

}  // namespace headroom
