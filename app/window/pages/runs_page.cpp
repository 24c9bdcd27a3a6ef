#include <QDateTime>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/run_commands.h"
#include "panels/jobs/job_panel.h"
#include "panels/qt/panel.h"
#include "panels/study/merged_study.h"

namespace headroom {
namespace {

class RunsPage : public Panel {
  public:
    RunsPage(const PageInfo& info, const StudioServices& services)
        : Panel(info), jobs_(new JobPanel) {
        fill_page(this, jobs_);
        jobs_->set_empty_text(tr("No runs yet. Choose “New runs…” (Ctrl+N) to train some."));
        connect(jobs_, &JobPanel::command_asked, services.commands, &RunCommands::run);
        connect(jobs_, &JobPanel::opened, this, [this] { emit page_asked("details"); });
        connect(jobs_, &JobPanel::selection_changed, this, [this](const auto& ids) {
            if (!filling_) emit selection_asked(ids);
        });
    }

    void set_theme(const Theme&) override { jobs_->refresh_icons(); }
    bool follows_unseen() const override { return true; }  // the menus' commands are its own
    QWidget* focus_target() override { return jobs_->focus_target(); }

    void set_study(const StudyLook& look) override {
        filling_ = true;
        const std::string now = QDateTime::currentDateTime().toString(Qt::ISODate).toStdString();
        const bool scheduler = look.is_open() && look.study->scheduler_alive;
        const std::vector<RunPointer> runs =
            look.is_open() ? own_runs(*look.study) : std::vector<RunPointer>();
        jobs_->set_table(build_job_table(runs, {now, scheduler}));
        jobs_->select_all(look.selected);
        filling_ = false;
    }

  private:
    JobPanel* jobs_;
    bool filling_ = false;
};

}  // namespace

Page runs_page() {
    return {
        {"runs", Panel::tr("Runs"),
         Panel::tr("Every run of the study and what its worker is at. The selected rows are what "
                   "the buttons act on; a double click shows all about a run; pausing waits for "
                   "the end of the present step.")},
        make_panel<RunsPage>};
}

}  // namespace headroom
