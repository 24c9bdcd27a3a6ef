#include "panels/base/worker_progress.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {

WorkerLine read_worker_line(std::string_view line) {
    nlohmann::json document = parse_json(line, "the worker's line");
    if (!document.is_object()) refuse_worker_line();
    if (document.contains("result")) {
        auto result = std::make_shared<const nlohmann::json>(std::move(document.at("result")));
        return {1, "", std::move(result)};
    }
    if (!document.contains("share") || !document.at("share").is_number()) refuse_worker_line();
    WorkerLine news{std::clamp(document.at("share").get<double>(), 0.0, 1.0), "", nullptr};
    if (!document.contains("doing")) return news;
    if (!document.at("doing").is_string()) refuse_worker_line();
    news.doing = document.at("doing").get<std::string>();
    return news;
}

void refuse_worker_line() {
    throw UserError("the worker printed a line that is no progress", "run it again");
}

}  // namespace headroom
