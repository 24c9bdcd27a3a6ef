#pragma once

namespace headroom {

/// Makes idle OpenMP threads spin only for some ten microseconds before they sleep, so that one
/// that waits soon leaves its core to others (core/bench/README.md). By default they spin for much
/// longer, which starves every other program as soon as the machine has more to do than cores. The
/// OpenMP library reads its settings when it is loaded, so the program starts itself once more with
/// them in the environment; settings of the user's are kept. Returns if nothing needs to be done
/// (or can be).
void limit_thread_spinning(char** argv);

}  // namespace headroom
