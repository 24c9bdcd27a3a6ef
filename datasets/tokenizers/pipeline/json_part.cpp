#include "datasets/tokenizers/pipeline/json_part.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {

using nlohmann::json;

JsonPart::JsonPart(const json& object, std::string where)
    : object_(object), where_(std::move(where)) {
    if (!object_.is_object())
        refuse(fmt::format("{} is no object", shown(object_)), "expect a tokenizer.json");
}

const json* JsonPart::find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string JsonPart::text(const char* key, const std::string& otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_string())
        refuse(fmt::format("{} is {}", key, shown(*value)), "expect a text there");
    return value->get<std::string>();
}

bool JsonPart::flag(const char* key, bool otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean())
        refuse(fmt::format("{} is {}", key, shown(*value)), "expect true or false there");
    return value->get<bool>();
}

int64_t JsonPart::number(const char* key, int64_t otherwise) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number_integer())
        refuse(fmt::format("{} is {}", key, shown(*value)), "expect a whole number there");
    return value->get<int64_t>();
}

JsonPart JsonPart::part(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) refuse(fmt::format("{} is absent", key), "expect a tokenizer.json");
    return {*value, where_ + ": " + key};
}

std::vector<JsonPart> JsonPart::parts(const char* key) const {
    std::vector<JsonPart> all;
    const json* list = find(key);
    if (list == nullptr) return all;
    if (!list->is_array())
        refuse(fmt::format("{} is {}", key, shown(*list)), "expect a list there");
    for (const json& item : *list) all.emplace_back(item, where_ + ": " + key);
    return all;
}

void JsonPart::refuse(const std::string& what, const std::string& mend) const {
    throw UserError(fmt::format("{}: {}", where_, what), mend);
}

void JsonPart::check_depth(int depth) const {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) refuse("it is nested too deeply", "write it as one Sequence");
}

void JsonPart::refuse_kind(const char* kinds_that_are_read) const {
    refuse(fmt::format("{} is not read here", shown(object_)),
           fmt::format("known are {}", kinds_that_are_read));
}

}  // namespace headroom
