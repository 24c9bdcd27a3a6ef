#pragma once

namespace headroom {

/// Where a program is started with standard input, output or error closed (`>&-`), the next file
/// that it opens takes that number, and what is printed goes into it. Opens what cannot be written
/// (or read) in their place, so that printing fails as it should. Call it first of all.
void occupy_closed_streams();

}  // namespace headroom
