#pragma once

#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/field_binding.h"
#include "core/config/per_layer.h"

/// Private to core/config: keys that take one word, or a list with one entry per layer.
namespace headroom {

template <class T, class Json = nlohmann::json>
Json encoded(const PerLayer<T>& choice) {
    if (const auto word = choice.word()) return encoded(*word);
    Json list = Json::array();
    for (const T entry : choice.entries()) list.push_back(encoded(entry));
    return list;
}

template <class T, class Json>
PerLayer<T> decoded_per_layer(const Json& value) {
    if (!value.is_array()) return decoded<T>(value);
    std::vector<T> entries;
    for (const Json& entry : value) entries.push_back(decoded<T>(entry));
    return PerLayer<T>::of(std::move(entries));
}

/// Whether the list fits the number of layers is checked with the whole model (check_model).
template <class T>
BoundField bind_per_layer(PerLayer<T> ModelConfig::*member, Field field) {
    field.type = field_type_of<T>();
    field.per_layer = true;
    if constexpr (std::is_enum_v<T>) field.choices = spellings<T>();
    return {std::move(field), [member](const Job& job) { return encoded(job.model.*member); },
            [member](Job& job, const nlohmann::json& value) {
                job.model.*member = decoded_per_layer<T>(value);
            }};
}

}  // namespace headroom
