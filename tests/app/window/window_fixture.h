#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/window/main_window.h"
#include "panels/launch/launch_form.h"

namespace headroom {

/// A real window and a folder for studies. Waits are on conditions, with limits that a loaded
/// machine keeps.
class WindowTest : public testing::Test {
  protected:
    WindowTest();
    ~WindowTest() override;

    /// Processes events until `condition` holds; false after the limit.
    static bool wait_for(const std::function<bool()>& condition, int seconds = 60);

    /// Closes the window, if there is one, and opens a new one, as after a restart.
    void restart_window();
    std::filesystem::path folder(const std::string& name) const;
    /// Writes a study with these runs, each {id, arch}, not expanded yet.
    std::filesystem::path write_study(const std::string& name,
                                      const std::vector<std::pair<std::string, std::string>>& runs);
    /// Opens it and waits until its runs are in the table.
    void open(const std::filesystem::path& study, size_t runs);
    /// Row of a run in the table, or nullptr.
    const JobRow* row(const std::string& id) const;
    bool wait_for_state(const std::string& id, const std::string& state, int seconds = 90);
    std::string error_text() const;
    /// Asks every run to stop and waits until no worker lives, so that nothing outlives a test.
    void stop_all(const std::filesystem::path& study);

    QTemporaryDir dir_;
    std::unique_ptr<MainWindow> window_;
};

/// Values that make a run so small that a thousand steps take a moment.
LaunchInput tiny_run(const std::string& steps);

}  // namespace headroom
