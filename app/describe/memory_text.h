#pragma once

#include <string>

#include "core/account/memory_ledger.h"

namespace headroom {

/// Prints a ledger as tables for people: bytes by heading, then the cache by layer.
void print_memory(const std::string& title, const MemoryReport& report);

}  // namespace headroom
