#include "core/weights/interop/rope_sections.h"

namespace headroom {

void visit_rope_sections(
    const ConfigReader& config,
    const std::function<void(const char* key, const ConfigReader& section)>& visit) {
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const ConfigReader section = config.section(key);
        for (const char* type : {"type", "rope_type"})
            if (section.text(type).value_or("default") != "default")
                config.refuse(key, "scales the rotary angles", kUseAnother);
        visit(key, section);
    }
}

}  // namespace headroom
