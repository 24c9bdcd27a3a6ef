#pragma once

#include <filesystem>

namespace headroom::h5 {

/// Looks at a file's structure before the library does: HDF5 1.10 trusts what carries a right
/// checksum, and a file from a stranger can carry any. Refused are another format than the latest
/// (superblock 3), object headers whose chunks or messages do not fit, and indices of chunks and
/// names whose parameters are not those that the library itself writes; each of them ended it with
/// a signal. Values and names are not judged here, and objects in groups of so many names that they
/// lie in a heap are not reached. Reads some bytes of each object; a writer may be at work.
/// Throws h5::Error, UserError for what is no file.
void require_sound_structure(const std::filesystem::path& path);

}  // namespace headroom::h5
