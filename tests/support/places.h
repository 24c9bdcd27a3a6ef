#pragma once

#include <filesystem>
#include <string>

namespace headroom {

/// The root of the source tree that these tests were built from.
std::filesystem::path source_tree();

/// A program that was built with these tests, such as "headroom".
std::string built_program(const std::string& name);

}  // namespace headroom
