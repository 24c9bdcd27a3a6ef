#include <QApplication>
#include <string_view>

#include "app/figure/figure_main.h"
#include "app/window/run_window.h"

/// The window; `headroom-studio figure …` draws a figure and needs no display.
int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "figure") return headroom::figure_main(argc, argv);
    if (headroom::print_usage(argc, argv)) return 0;
    headroom::prepare_window();
    QApplication application(argc, argv);
    return headroom::run_window(application, QApplication::arguments());
}
