#include <cstdio>
#include <string_view>

#include "app/figure/figure_main.h"

/// `headroom-studio figure …` draws a figure and needs no display.
int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "figure") return headroom::figure_main(argc, argv);
    std::fprintf(stderr, "error: this build has no window; use headroom figure\n");
    return 1;
}
