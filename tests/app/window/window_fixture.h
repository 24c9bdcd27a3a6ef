#pragma once

#include <QRect>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/window/main_window.h"
#include "app/window/shell/workspace.h"
#include "panels/jobs/job_panel.h"
#include "panels/launch/launch_form.h"
#include "panels/loss/loss_widget.h"
#include "panels/qt/panel.h"

class QDialog;

namespace headroom {

class ImGuiWidget;

/// A real window and a folder for studies. Waits are on conditions, with limits that a loaded
/// machine keeps.
class WindowTest : public testing::Test {
  protected:
    WindowTest();
    ~WindowTest() override;

    /// Processes events until `condition` holds; false after the limit.
    static bool wait_for(const std::function<bool()>& condition, int seconds = 60);

    /// Makes the window as small as it may be: a frame of a canvas costs by its pixels where there
    /// is no GPU, and tests that look for something on one draw hundreds.
    void shrink_window();
    /// Moves the mouse about in `area` of the canvas, a frame at each place, until a condition
    /// holds; (-1, -1) if it never does. The places lie far apart at first, then ever closer, so
    /// that something large is found soon and nothing larger than 18 pixels is missed.
    static QPoint find_on(ImGuiWidget& canvas, const QRect& area,
                          const std::function<bool()>& condition);

    /// Closes the window, if there is one, and opens a new one, as after a restart.
    void restart_window();
    std::filesystem::path folder(const std::string& name) const;
    /// Writes a study with these runs, each {id, arch}, not expanded yet.
    std::filesystem::path write_study(const std::string& name,
                                      const std::vector<std::pair<std::string, std::string>>& runs);
    /// Opens it and waits until its runs are in the table.
    void open(const std::filesystem::path& study, size_t runs);
    /// Brings a page to the front, by name.
    void go_to(const QString& page);
    /// The one part of the window of this class, wherever it is.
    template <class Part>
    Part& part() const {
        for (QObject* each : window_->findChildren<QObject*>())
            if (auto* found = dynamic_cast<Part*>(each)) return *found;
        throw std::logic_error("the window has no such part");
    }
    LossWidget& losses() const {
        return *window_->workspace().find("losses")->findChild<LossWidget*>();
    }
    /// The table of runs.
    JobPanel& jobs() const { return *window_->workspace().find("runs")->findChild<JobPanel*>(); }
    void select(const std::vector<std::string>& ids) { window_->session().select(ids); }
    /// Types this file into the dialog that exports a page, as soon as it opens, changes it
    /// further, and presses its button.
    void answer_export(const std::filesystem::path& file,
                       const std::function<void(QDialog&)>& change = {});
    /// Row of a run in the table, or nullptr.
    const JobRow* row(const std::string& id) const;
    bool wait_for_state(const std::string& id, const std::string& state, int seconds = 90);
    /// Until the queue that was started has trained everything, drawn the study's figures and
    /// written its last word, the table of the runs.
    static bool wait_for_queue_end(const std::filesystem::path& study);
    std::string error_text() const;
    /// Asks every run to stop and waits until no worker lives, so that nothing outlives a test.
    void stop_all(const std::filesystem::path& study);

    QTemporaryDir dir_;
    std::unique_ptr<MainWindow> window_;
};

/// Values that make a run so small that a thousand steps take a moment.
LaunchInput tiny_run(const std::string& steps);

}  // namespace headroom
