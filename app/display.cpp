#include "app/display.h"

#include <cstdlib>

#include "app/doctor/shared_library.h"
#include "core/base/error.h"

namespace headroom {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Through libxcb by dlopen: the command line links no window system.
std::string x11_problem() {
    const SharedLibrary xcb("libxcb.so.1");
    const auto connect = xcb.function<void*(const char*, int*)>("xcb_connect");
    const auto has_error = xcb.function<int(void*)>("xcb_connection_has_error");
    const auto disconnect = xcb.function<void(void*)>("xcb_disconnect");
    if (!connect || !has_error || !disconnect) return "cannot be reached: libxcb is absent";
    void* connection = connect(nullptr, nullptr);
    const bool answers = has_error(connection) == 0;
    disconnect(connection);
    return answers ? "" : "does not answer";
}

}  // namespace

Display find_display() {
    const std::string wayland = variable("WAYLAND_DISPLAY"), x11 = variable("DISPLAY");
    if (!x11.empty()) {
        const std::string problem = x11_problem();
        if (problem.empty() || wayland.empty()) return {"X11 " + x11, problem};
    }
    if (!wayland.empty()) return {"Wayland " + wayland, ""};
    return {};
}

void check_display() {
    const std::string platform = variable("QT_QPA_PLATFORM");
    if (!platform.empty() && platform != "xcb") return;
    const char* mend = "use the commands that headroom --help lists, or log in with ssh -X";
    const Display display = find_display();
    if (display.name.empty())
        throw EnvironmentError("there is no display to open the studio on (DISPLAY is not set)",
                               mend);
    if (!display.problem.empty())
        throw EnvironmentError("the display " + display.name + " " + display.problem, mend);
}

}  // namespace headroom
