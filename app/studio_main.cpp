#include <QApplication>
#include <string_view>

#include "app/command_guard.h"
#include "app/figure/figure_main.h"
#include "app/window/run_window.h"

/// The window; `headroom-studio figure …` draws a figure and needs no display.
int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "figure") return headroom::figure_main(argc, argv);
    if (headroom::print_usage(argc, argv)) return 0;
    return headroom::run_guarded([&] {  // a thread that does not start throws, for one
        headroom::prepare_window();
        QApplication application(argc, argv);
        return headroom::run_window(application, QApplication::arguments());
    });
}
