#include "core/study/known_keys.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"

namespace headroom {

using nlohmann::json;

void check_keys(const json& object, const std::string& place,
                const std::vector<std::string>& known) {
    if (!object.is_object())
        throw UserError(fmt::format("{} = {} is not an object", place, shown(object)),
                        "write { ... }");
    for (const auto& [key, value] : object.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw UserError(
                fmt::format("unknown key {} in {}{}", shown(key), place, suggestion(key, known)));
}

}  // namespace headroom
