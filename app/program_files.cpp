#include "app/program_files.h"

#include <system_error>

#include "app/studio_process.h"
#include "core/base/error.h"

namespace headroom {

namespace fs = std::filesystem;

ProgramFiles program_files_of(const fs::path& program_folder) {
    std::error_code ignored;
    const fs::path shared = (program_folder / "../share/headroom").lexically_normal();
    if (fs::is_directory(shared, ignored))
        return {true, (program_folder / "../lib/headroom").lexically_normal(), shared};
    return {false, program_folder, (program_folder / "../../../resources").lexically_normal()};
}

ProgramFiles program_files() {
    return program_files_of(program_folder());
}

fs::path resource(const fs::path& name) {
    fs::path place = program_files().resources / name;
    std::error_code ignored;
    if (!fs::exists(place, ignored))
        throw EnvironmentError(place.string() + " is missing", "install or build headroom again");
    return place;
}

}  // namespace headroom
