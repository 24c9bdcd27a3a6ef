#pragma once

namespace headroom {

/// The characters of names that become files, folders or objects of a log: a shell, a URL and every
/// file system take them as they are.
constexpr bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

}  // namespace headroom
