#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>

#include "app/window/pages/checkpoint_page.h"
#include "app/window/pages/page_layout.h"
#include "app/window/services/run_commands.h"
#include "core/base/file.h"
#include "core/data/data_spec.h"
#include "panels/figure/figure_chart.h"
#include "panels/surgery/surgery_panel.h"

namespace headroom {
namespace {

/// Of a run's job, where it means the same from any folder; else "".
std::string data_of(const Job& job) {
    const std::string& spec = job.data.train;
    const size_t colon = spec.find(':');
    if (colon == std::string::npos) return "";
    const std::filesystem::path path = spec.substr(colon + 1);
    return data_kind_of(spec) == DataSpec::Kind::kTask || path.is_absolute() ? spec : "";
}

class SurgeryPage : public CheckpointPage {
  public:
    SurgeryPage(const PageInfo& info, const StudioServices& services)
        : CheckpointPage(info, services), commands_(services.commands), panel_(new SurgeryPanel) {
        fill_page(this, panel_);
        connect(panel_, &SurgeryPanel::export_asked, this, &Panel::export_asked);
        connect(panel_, &SurgeryPanel::picture_changed, this, &Panel::picture_changed);
        connect(panel_->chart(), &FigureChart::stepped, this, &Panel::stepped);
        connect(panel_, &SurgeryPanel::open_asked, this, [this] { open_file(); });
        connect(panel_, &SurgeryPanel::numbers_asked, this, &SurgeryPage::ask_numbers);
        connect(panel_, &SurgeryPanel::apply_asked, this, &SurgeryPage::apply);
        connect(panel_, &SurgeryPanel::recover_asked, this, &SurgeryPage::recover);
        connect(panel_, &SurgeryPanel::data_asked, this, &SurgeryPage::ask_for_data);
        connect(panel_, &SurgeryPanel::stop_asked, this, [this] { stop(); });
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    void relabel() override { panel_->relabel(); }
    QWidget* focus_target() override { return panel_->apply_button(); }
    bool has_picture() const override { return panel_->has_picture(); }
    FigurePage picture() const override { return panel_->page(); }
    void act() override { panel_->apply_button()->click(); }
    void undo() override { panel_->chart()->undo_zoom(); }
    void redo() override { panel_->chart()->redo_zoom(); }

  protected:
    /// Reads its file only where it is another than before.
    bool look_at(const NamedCheckpoint& checkpoint, const RunPointer& run) override {
        if (checkpoint.path.empty()) {
            panel_->set_model({});
            return false;
        }
        if (panel_->model() && panel_->model()->checkpoint == checkpoint.path) return true;
        try {
            panel_->set_model(SurgeryModel{checkpoint.name, checkpoint.path, model_of(checkpoint),
                                           run && run->job ? data_of(*run->job) : ""});
            panel_->show_problem({});
            return true;
        } catch (const std::exception& error) {
            panel_->set_model({});
            panel_->show_problem(QString::fromUtf8(error.what()));
            return false;
        }
    }
    void set_busy(const QString& words) override { panel_->set_busy(words); }
    void show_problem(const QString& problem) override { panel_->show_problem(problem); }

    void take(const std::string& output) override {
        if (asked_ == Asked::kPlan) return panel_->take_plan(output);
        if (asked_ == Asked::kStudy)
            return commands_->open_study(QString::fromStdString(study_.string()));
        panel_->take_report(read_text(report_));
        panel_->show_problem(
            tr("The report stands in %1").arg(QString::fromStdString(report_.string())));
    }

  private:
    enum class Asked { kPlan, kReport, kStudy };

    void ask_numbers() {
        asked_ = Asked::kPlan;
        std::vector<std::string> arguments{"surgery", "plan", "--checkpoint",
                                           panel_->model()->checkpoint, "--json"};
        if (panel_->unties()) arguments.emplace_back("--untie");
        ask(tr("Reading the weights …"), arguments);
    }

    void apply() {
        const PlanLine& line = *panel_->chosen();
        const std::filesystem::path& source = panel_->model()->checkpoint;
        const std::filesystem::path out =
            ask_where_to_write(tr("Write the reduced checkpoint"),
                               source.parent_path() / suggested_file(line, source));
        if (out.empty()) return;
        report_ = out.string() + ".json";
        asked_ = Asked::kReport;
        ask(tr("Operating and measuring …"),
            surgery_arguments(line, source, out, report_, panel_->data()));
    }

    /// The new study is opened, its queue ready to start.
    void recover() {
        const std::filesystem::path& source = panel_->model()->checkpoint;
        const QString folder = QFileDialog::getSaveFileName(
            this, tr("Folder of the new study"),
            QDir::homePath() + "/" + QString::fromStdString(source.stem().string()) +
                "-without-norms",
            {}, nullptr, QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
        if (folder.isEmpty()) return;
        study_ = folder.toStdString();
        asked_ = Asked::kStudy;
        ask(tr("Making the study …"),
            {"surgery", "recover", "--checkpoint", source, "--data", panel_->data(), study_});
    }

    void ask_for_data() {
        const QString file = QFileDialog::getOpenFileName(this, tr("Text to measure losses on"));
        if (!file.isEmpty())
            panel_->data_edit()->setText(
                QString::fromStdString(data_spec_text(DataSpec::Kind::kText, file.toStdString())));
    }

    RunCommands* commands_;
    SurgeryPanel* panel_;
    Asked asked_ = Asked::kPlan;
    std::filesystem::path report_, study_;  ///< that are being made
};

}  // namespace

Page surgery_page() {
    return {{"surgery", Panel::tr("Surgery"),
             Panel::tr(
                 "Which weights the focused run's last checkpoint, or a file, does not need: "
                 "every surgery with the weights that it saves or the assumption that fails. "
                 "*Apply* writes the reduced checkpoint and measures how far every layer is from "
                 "the original, and, with *Data*, both losses. *Recover* makes a study that takes "
                 "the norms out of a trained model and trains on. `headroom surgery` does the "
                 "same.")},
            make_panel<SurgeryPage>};
}

}  // namespace headroom
