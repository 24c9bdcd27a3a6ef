#include <QApplication>
#include <string_view>

#include "app/command_guard.h"
#include "app/figure/figure_main.h"
#include "app/standard_streams.h"
#include "app/window/run_window.h"
#include "core/base/file_limit.h"
#include "core/base/mmap_file.h"
#include "core/cpu/thread_waiting.h"
#include "core/log/trial.h"
#include "panels/qt/plain_numbers.h"

/// The window; `headroom-studio figure …` draws a figure and needs no display.
int main(int argc, char** argv) {
    headroom::occupy_closed_streams();
    headroom::raise_open_file_limit();
    headroom::start_trials();
    headroom::guard_mappings();
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "figure") return headroom::figure_main(argc, argv);
    if (first == "completion" || first == "man") return headroom::help_main(argc, argv);
    if (headroom::print_usage(argc, argv)) return 0;
    return headroom::run_guarded([&] {  // a thread that does not start throws, for one
        const headroom::SpinningWhileAlone spinning;
        headroom::prepare_window();
        QApplication application(argc, argv);
        headroom::use_plain_numbers();
        return headroom::run_window(application, QApplication::arguments());
    });
}
