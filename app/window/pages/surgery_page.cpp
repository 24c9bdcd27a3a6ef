#include <QFileDialog>
#include <QPushButton>
#include <optional>

#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/pages/checkpoint_of.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/answer_worker.h"
#include "core/base/file.h"
#include "panels/figure/figure_chart.h"
#include "panels/qt/panel.h"
#include "panels/surgery/surgery_panel.h"

namespace headroom {
namespace {

/// Of a run's job, where it means the same from any folder; else "".
std::string data_of(const Job& job) {
    const std::string& spec = job.data.train;
    const size_t colon = spec.find(':');
    if (colon == std::string::npos) return "";
    const std::filesystem::path path = spec.substr(colon + 1);
    return spec.starts_with("task:") || path.is_absolute() ? spec : "";
}

class SurgeryPage : public Panel {
  public:
    explicit SurgeryPage(const StudioServices& services)
        : Panel("surgery", tr("Surgery"),
                tr("Which weights the focused run's last checkpoint, or a file, does not need: "
                   "every surgery with the weights that it saves or the assumption that fails. "
                   "*Apply* writes the reduced checkpoint and measures how far every layer is from "
                   "the original; `headroom surgery` does the same.")),
          panel_(new SurgeryPanel),
          worker_(new AnswerWorker(services.program, this)) {
        fill_page(this, panel_);
        connect(panel_, &SurgeryPanel::export_asked, this, &Panel::export_asked);
        connect(panel_, &SurgeryPanel::picture_changed, this, &Panel::picture_changed);
        connect(panel_, &SurgeryPanel::open_asked, this, &SurgeryPage::open_file);
        connect(panel_, &SurgeryPanel::numbers_asked, this, &SurgeryPage::ask_numbers);
        connect(panel_, &SurgeryPanel::apply_asked, this, &SurgeryPage::apply);
        connect(panel_, &SurgeryPanel::stop_asked, this, [this] {
            worker_->stop();
            panel_->set_busy({});
        });
        connect(worker_, &AnswerWorker::answered, this, &SurgeryPage::take);
        connect(worker_, &AnswerWorker::failed, this, [this](const QString& problem) {
            panel_->set_busy({});
            panel_->show_problem(problem);
        });
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* focus_target() override { return panel_->apply_button(); }
    bool has_picture() const override { return panel_->has_picture(); }
    FigurePage picture() const override { return panel_->page(); }
    void act() override { panel_->apply_button()->click(); }
    void undo() override { panel_->chart()->undo_zoom(); }
    void redo() override { panel_->chart()->redo_zoom(); }

    /// The newest checkpoint of the focused run; a file that was opened stays until another run is
    /// focused.
    void set_study(const StudyLook& look) override {
        const RunPointer run = look.focused();
        const std::string focused = run ? run->id : "";
        if (worker_->is_busy() || (opened_ && focused == focused_)) return;
        opened_ = false;
        focused_ = focused;
        look_at(newest_checkpoint(look), run && run->job ? data_of(*run->job) : "");
    }

  private:
    /// Reads its file only where it is another than before.
    bool look_at(const NamedCheckpoint& checkpoint, const std::string& spec) {
        if (checkpoint.path.empty()) {
            panel_->set_model({});
            return false;
        }
        if (panel_->model() && panel_->model()->checkpoint == checkpoint.path) return true;
        try {
            panel_->set_model(
                SurgeryModel{checkpoint.name, checkpoint.path, model_of(checkpoint), spec});
            panel_->show_problem({});
            return true;
        } catch (const std::exception& error) {
            panel_->set_model({});
            panel_->show_problem(QString::fromUtf8(error.what()));
            return false;
        }
    }

    void open_file() {
        const std::filesystem::path path = ask_for_checkpoint_file(this, {}).toStdString();
        if (!path.empty()) opened_ = look_at({path.filename().string(), path}, "");
    }

    void ask_numbers() {
        report_.clear();
        panel_->set_busy(tr("Reading the weights …"));
        worker_->ask({"surgery", "plan", "--checkpoint", panel_->model()->checkpoint, "--json"});
    }

    void apply() {
        const PlanLine& line = *panel_->chosen();
        const std::filesystem::path& source = panel_->model()->checkpoint;
        const std::filesystem::path suggested = source.parent_path() / suggested_file(line, source);
        const QString file = QFileDialog::getSaveFileName(
            this, tr("Write the reduced checkpoint"), QString::fromStdString(suggested.string()),
            tr("Checkpoints (*.safetensors)"));
        if (file.isEmpty()) return;
        const std::filesystem::path out = file.toStdString();
        report_ = out.string() + ".json";
        panel_->set_busy(tr("Operating and measuring …"));
        worker_->ask(surgery_arguments(line, source, out, report_, panel_->model()->data));
    }

    void take(const std::string& output) {
        panel_->set_busy({});
        try {
            if (report_.empty()) return panel_->take_plan(output);
            panel_->take_report(read_text(report_));
            panel_->show_problem(
                tr("The report stands in %1").arg(QString::fromStdString(report_.string())));
        } catch (const std::exception& error) {
            panel_->show_problem(QString::fromUtf8(error.what()));
        }
    }

    SurgeryPanel* panel_;
    AnswerWorker* worker_;
    std::filesystem::path report_;  ///< that is being made; "": a plan is
    std::string focused_;
    bool opened_ = false;  ///< the person opened a file
};

}  // namespace

Panel* make_surgery_page(const StudioServices& services) {
    return new SurgeryPage(services);
}

}  // namespace headroom
