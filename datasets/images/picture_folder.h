#pragma once

#include <filesystem>
#include <memory>

#include "datasets/images/pictures.h"

namespace headroom {

/// The PNG and JPEG files (decode_picture.h) of a folder's subfolders, each of which is a class: by
/// name, sorted, the pictures of a class too. Files are decoded when they are read. UserError for a
/// folder without subfolders, and for one of them without pictures.
std::unique_ptr<Pictures> open_picture_folder(const std::filesystem::path& folder);

}  // namespace headroom
