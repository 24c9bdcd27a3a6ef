#pragma once

#include <cstdint>
#include <string>

namespace headroom {

std::string host_name();
/// The present time, ISO 8601 in UTC: "2026-01-31T12:00:00Z".
std::string iso_time_now();
/// Seconds since 1970, UTC, with their fraction.
double unix_time();
/// As its maker calls it; "unknown processor" where the system does not tell.
std::string processor_name();
/// Memory of this process that is in RAM, in bytes; 0 where the system does not tell.
int64_t resident_bytes();
/// Memory that a process can still take without swapping, in bytes: of the machine, and of the
/// control group that the process is in. 0 where the system does not tell.
int64_t available_bytes();

}  // namespace headroom
