#pragma once

#include <QStringList>
#include <filesystem>
#include <vector>

namespace headroom {

class FigureCommands;
class Panel;
class ProbeQueue;
class RunCommands;

/// What panels may use of the program.
struct StudioServices {
    std::filesystem::path program;  ///< `headroom`
    ProbeQueue* probes = nullptr;
    RunCommands* commands = nullptr;
    FigureCommands* figures = nullptr;
};

/// A group of panels behind one button of the activity bar.
struct Activity {
    const char* name;
    const char* title;
    const char* icon;
    std::vector<Panel* (*)(const StudioServices&)> panels;  ///< in the order of their tabs
};

/// All panels of the studio. To add one, write its factory beside it and name it in this list.
const std::vector<Activity>& activities();

}  // namespace headroom
