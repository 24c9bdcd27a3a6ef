#include "panels/base/worker_progress.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {

std::optional<double> worker_share(std::string_view line) {
    try {
        const nlohmann::json document = parse_json(line, "the worker's line");
        if (!document.is_object() || !document.contains("share") ||
            !document.at("share").is_number())
            return std::nullopt;
        return std::clamp(document.at("share").get<double>(), 0.0, 1.0);
    } catch (const UserError&) {
        return std::nullopt;
    }
}

}  // namespace headroom
