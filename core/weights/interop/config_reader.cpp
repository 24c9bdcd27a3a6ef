#include "core/weights/interop/config_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {

using nlohmann::json;

ConfigReader::ConfigReader(const json& document, std::string source)
    : document_(std::make_unique<json>(document)), source_(std::move(source)) {
    if (!document.is_object())
        throw UserError(fmt::format("{} is not a configuration", source_), "it should be { ... }");
}
ConfigReader::~ConfigReader() = default;
ConfigReader::ConfigReader(ConfigReader&&) noexcept = default;

const json* ConfigReader::find(const std::string& key) const {
    const auto found = document_->find(key);
    return found == document_->end() || found->is_null() ? nullptr : &*found;
}

void ConfigReader::refuse(const std::string& key, const std::string& why,
                          const std::string& how_to_mend) const {
    const json* value = find(key);
    throw UserError(
        fmt::format("{}: {} = {} {}", source_, key, value == nullptr ? "null" : shown(*value), why),
        how_to_mend);
}

bool ConfigReader::has(const std::string& key) const {
    return find(key) != nullptr;
}

std::optional<int64_t> ConfigReader::whole(const std::string& key) const {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    const bool fits = value->is_number_unsigned() ? value->get<uint64_t>() <= (uint64_t{1} << 62)
                                                  : value->is_number_integer();
    if (!fits) refuse(key, "is not a whole number", "mend the file");
    return value->get<int64_t>();
}

std::optional<double> ConfigReader::number(const std::string& key) const {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) refuse(key, "is not a number", "mend the file");
    return value->get<double>();
}

std::optional<bool> ConfigReader::flag(const std::string& key) const {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) refuse(key, "is neither true nor false", "mend the file");
    return value->get<bool>();
}

std::optional<std::string> ConfigReader::text(const std::string& key) const {
    const json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) refuse(key, "is not text", "mend the file");
    return value->get<std::string>();
}

ConfigReader ConfigReader::section(const std::string& key) const {
    const json* value = find(key);
    if (value == nullptr) return {json::object(), fmt::format("{}: {}", source_, key)};
    if (!value->is_object()) refuse(key, "is not an object", "mend the file");
    return {*value, fmt::format("{}: {}", source_, key)};
}

}  // namespace headroom
