#pragma once

#include <string>

namespace headroom {

/// Where windows would appear.
struct Display {
    std::string name;     ///< "X11 :0", "Wayland wayland-0"; empty if there is none
    std::string problem;  ///< why it cannot be used, "" if it can
};

/// What DISPLAY and WAYLAND_DISPLAY name. An X server is asked whether it answers, so that Qt,
/// which would end the process, never meets one that does not.
Display find_display();

/// EnvironmentError where no window could be opened on it. Another platform of Qt's than X
/// (QT_QPA_PLATFORM) is taken at its word.
void check_display();

}  // namespace headroom
