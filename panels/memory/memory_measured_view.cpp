#include "panels/memory/memory_measured_view.h"

#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "panels/base/number_format.h"

namespace headroom {

std::vector<std::string> measure_arguments(const MeasureQuestion& question,
                                           const std::string& job_file) {
    const MemoryRequest& request = question.request;
    return {"memory",
            "--job",
            job_file,
            "--for",
            std::string(name_of(request.use)),
            "--dtype",
            std::string(name_of(request.precision)),
            "--batch",
            std::to_string(request.batch_size),
            "--context",
            std::to_string(request.context),
            "--measure",
            "--json"};
}

MeasuredMemory parse_measurement(const std::string& output) {
    const nlohmann::json document = parse_json(output, "headroom memory");
    if (!document.is_object() || !document.contains("ledgers") || !document["ledgers"].is_array() ||
        document["ledgers"].size() != 1)
        throw UserError(shown(document) + " is not one ledger",
                        "expect what headroom memory --measure --json prints");
    return read_measurement(document["ledgers"][0]);
}

std::string agreement_text(const MemoryReport& predicted, const MeasuredMemory& measured) {
    std::string_view worst;
    int64_t most = 0;
    for (const auto& [name, heading] : kMemoryHeadings) {
        const int64_t off = measured.held.*heading - predicted.predicted.*heading;
        if (std::abs(off) <= std::abs(most)) continue;
        most = off;
        worst = name;
    }
    if (most == 0) return "as predicted, to the byte";
    return fmt::format("{} {} {} than predicted", worst, format_bytes(std::abs(most)),
                       most > 0 ? "more" : "less");
}

}  // namespace headroom
