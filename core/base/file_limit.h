#pragma once

namespace headroom {

/// Lets this process, and what it starts, hold as many files open as the system lets it ask for.
/// Shells give 1024 to begin with; a study of a thousand runs needs more, for each keeps its log
/// open. Never lowers what is there.
void raise_open_file_limit();

}  // namespace headroom
