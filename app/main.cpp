#include "app/command_line.h"
#include "app/standard_streams.h"
#include "core/base/file_limit.h"
#include "core/base/mmap_file.h"
#include "core/cpu/thread_waiting.h"
#include "core/log/trial.h"

/// The command line and worker. The commands stand in app/command_line.cpp, one line each.
int main(int argc, char** argv) {
    headroom::occupy_closed_streams();
    headroom::raise_open_file_limit();
    headroom::limit_thread_spinning(argv);
    headroom::start_trials();
    headroom::guard_mappings();
    const headroom::SpinningWhileAlone spinning;
    return headroom::run_command_line(argc, argv);
}
