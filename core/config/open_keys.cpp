#include "core/config/open_keys.h"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/field_binding.h"

namespace headroom {
namespace {

const BoundField& bound_field(const std::string& path) {
    static const auto by_path = [] {
        std::map<std::string, const BoundField*> map;
        for (const BoundField& bound : bound_fields()) map.emplace(bound.field.path, &bound);
        return map;
    }();
    const auto found = by_path.find(path);
    CHECK(found != by_path.end(), "there is no key " + path);
    return *found->second;
}

}  // namespace

OpenKeys::OpenKeys(std::string section, nlohmann::json& keys, KeysOf use, const ModelConfig* model)
    : section_(std::move(section)), keys_(keys), use_(use), model_(model) {}

bool OpenKeys::has(const std::string& key) const {
    return keys_.contains(key);
}

const nlohmann::json& OpenKeys::at(const std::string& key) {
    const BoundField& bound = bound_field(section_ + "." + key);
    if (!keys_.contains(key)) {
        nlohmann::json value = bound.standard(*this);
        keys_[key] = std::move(value);
    }
    if (bound.complete && completed_.insert(key).second) {
        nlohmann::json value = bound.complete(keys_.at(key), *this);
        keys_[key] = std::move(value);
    }
    return keys_.at(key);
}

int64_t OpenKeys::whole(const std::string& key) {
    return at(key).get<int64_t>();
}

double OpenKeys::number(const std::string& key) {
    return at(key).get<double>();
}

void OpenKeys::fill() {
    for (const BoundField& bound : bound_fields())
        if (bound.field.section() == section_ && !bound.field.input_only) at(bound.field.key());
}

}  // namespace headroom
