#pragma once

#include <filesystem>

namespace headroom {

/// Where the parts of a program lie. In a build they are beside it and in the source tree three
/// folders above it; installed they are at fixed places from it (../lib/headroom,
/// ../share/headroom), so that the whole may be put anywhere.
struct ProgramFiles {
    bool installed = false;
    std::filesystem::path modules;    ///< folder of headroom-cuda.so, headroom-mpi.so, …
    std::filesystem::path resources;  ///< folder of demo/, studies/, …; may not exist
};

/// Those of the program that lies in `program_folder`.
ProgramFiles program_files_of(const std::filesystem::path& program_folder);

/// Those of the running program.
ProgramFiles program_files();

/// The resource NAME (demo, studies, …) of the running program. Throws EnvironmentError where it is
/// missing.
std::filesystem::path resource(const std::filesystem::path& name);

}  // namespace headroom
