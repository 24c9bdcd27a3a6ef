#pragma once

#include <string>

namespace headroom {

/// "0.1.0"
std::string version_number();

/// What every file says that wrote it: "headroom 0.1.0", with the commit where the program was
/// built from a repository, "headroom 0.1.0 (0123456789ab)"; a + after it means that sources had
/// been changed.
std::string program_version();

/// What `--version` prints: the program with its commit, the compiler and the options of the build,
/// a line each; a date only where SOURCE_DATE_EPOCH gave one. The same sources built by the same
/// compiler say the same.
std::string build_text();

}  // namespace headroom

/// The commit, and the day of SOURCE_DATE_EPOCH; "" where they are not known. The programs link
/// what cmake/HeadroomCommit.cmake wrote; in tests, which would have to be linked anew with every
/// commit, both are "".
extern "C" const char* headroom_build_commit();
extern "C" const char* headroom_build_date();
