#pragma once

#include <unistd.h>

#include "app/eprint.h"

namespace headroom {

/// A line on a terminal that counts up while a large file is written.
class ProgressLine {
  public:
    ~ProgressLine() { clear(); }

    void clear() {
        if (shown_ >= 0) eprint("\r      \r");
        shown_ = -1;
    }

    void show(double share) {
        const int percent = static_cast<int>(share * 100);
        if (percent == shown_ || ::isatty(STDERR_FILENO) == 0) return;
        shown_ = percent;
        eprint("\r{:3} %", percent);
    }

  private:
    int shown_ = -1;
};

}  // namespace headroom
