#pragma once

#include <optional>
#include <string_view>

namespace headroom {

/// How far a worker is that was started with --stream, 0 to 1, where the line says so:
/// {"share": 0.25}. Nothing for any other line.
std::optional<double> worker_share(std::string_view line);

}  // namespace headroom
