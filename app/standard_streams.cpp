#include "app/standard_streams.h"

#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace headroom {

void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) != -1) continue;
        // The lowest number that is free, which is this one.
        const int unusable = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", unusable) != stream) return;
    }
}

}  // namespace headroom
