#pragma once

#include <filesystem>
#include <type_traits>
#include <vector>

#include "panels/qt/panel.h"

namespace headroom {

class FigureCommands;
class ProbeQueue;
class RunCommands;

/// What panels may use of the program.
struct StudioServices {
    std::filesystem::path program;  ///< `headroom`
    ProbeQueue* probes = nullptr;
    RunCommands* commands = nullptr;
    FigureCommands* figures = nullptr;
};

/// A page of the studio, and how its panel is made: when somebody first looks at it.
struct Page {
    PageInfo info;
    Panel* (*make)(const PageInfo&, const StudioServices&);
};

/// Makes a panel of class `P`, from what is known of its page and, if it asks, the services.
template <class P>
Panel* make_panel(const PageInfo& info, const StudioServices& services) {
    if constexpr (std::is_constructible_v<P, const PageInfo&, const StudioServices&>)
        return new P(info, services);
    else
        return new P(info);
}

/// A group of pages behind one button of the activity bar.
struct Activity {
    const char* name;
    const char* title;
    const char* icon;
    std::vector<Page> pages;  ///< in the order of their tabs
};

/// All pages of the studio. To add one, write a function beside its class that describes it and
/// name that in this list.
const std::vector<Activity>& activities();

}  // namespace headroom
