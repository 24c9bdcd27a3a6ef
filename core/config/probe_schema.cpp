#include "core/config/probe_schema.h"

#include <algorithm>

namespace headroom {

ProbeValues ProbeSchema::standard_values() const {
    ProbeValues values;
    for (const ProbeOption& option : options) values.set(option.name, option.standard);
    return values;
}

const ProbeSchema* find_probe_schema(std::string_view kind) {
    const auto& all = probe_schemas();
    const auto found = std::find_if(all.begin(), all.end(), [&](const ProbeSchema& schema) {
        return schema.kind == kind || (!kind.empty() && schema.old_kind == kind);
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace headroom
