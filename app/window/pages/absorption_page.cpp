#include <QPushButton>

#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/pages/checkpoint_of.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/answer_worker.h"
#include "panels/figure/figure_chart.h"
#include "panels/lab/absorption_panel.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

class AbsorptionPage : public Panel {
  public:
    explicit AbsorptionPage(const StudioServices& services)
        : Panel("absorption", tr("Absorption"),
                tr("Whether an MLP of the same width can do without the skip around it (Mijoski & "
                   "Karbevski 2026): for ReLU, GELU and SiLU exactly if a set of its neurons adds "
                   "up to minus the skip, so that every coefficient is 0 or 1. A norm in front "
                   "makes it impossible at any width. `headroom absorb` does the same.")),
          panel_(new AbsorptionPanel),
          worker_(new AnswerWorker(services.program, this)) {
        fill_page(this, panel_);
        connect(panel_, &AbsorptionPanel::export_asked, this, &Panel::export_asked);
        connect(panel_, &AbsorptionPanel::picture_changed, this, &Panel::picture_changed);
        connect(panel_, &AbsorptionPanel::open_asked, this, &AbsorptionPage::open_file);
        connect(panel_, &AbsorptionPanel::decide_asked, this, [this] {
            panel_->set_busy(true);
            worker_->ask({"absorb", "decide", "--checkpoint", asked_.path, "--json"});
        });
        connect(panel_, &AbsorptionPanel::stop_asked, this, [this] {
            worker_->stop();
            panel_->set_busy(false);
            panel_->show_problem({});
        });
        connect(worker_, &AnswerWorker::answered, this, &AbsorptionPage::take);
        connect(worker_, &AnswerWorker::failed, this, [this](const QString& problem) {
            panel_->set_busy(false);
            panel_->show_problem(problem);
        });
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* focus_target() override { return panel_->decide_button(); }
    bool has_picture() const override { return panel_->has_picture(); }
    FigurePage picture() const override { return panel_->page(); }
    void act() override { panel_->decide_button()->click(); }
    void undo() override { panel_->chart()->undo_zoom(); }
    void redo() override { panel_->chart()->redo_zoom(); }

    void set_study(const StudyLook& look) override {
        const RunPointer run = look.focused();
        const std::string focused = run ? run->id : "";
        if (worker_->is_busy() || (opened_ && focused == focused_)) return;
        opened_ = false;
        focused_ = focused;
        asked_ = newest_checkpoint(look);
        panel_->set_name(asked_.name);
    }

  private:
    void open_file() {
        const std::filesystem::path path = ask_for_checkpoint_file(this, {}).toStdString();
        if (path.empty()) return;
        asked_ = {path.filename().string(), path};
        opened_ = true;
        panel_->set_name(asked_.name);
    }

    void take(const std::string& output) {
        panel_->set_busy(false);
        try {
            panel_->take_answers(output);
        } catch (const std::exception& error) {
            panel_->show_problem(QString::fromUtf8(error.what()));
        }
    }

    AbsorptionPanel* panel_;
    AnswerWorker* worker_;
    NamedCheckpoint asked_;
    std::string focused_;
    bool opened_ = false;
};

}  // namespace

Panel* make_absorption_page(const StudioServices& services) {
    return new AbsorptionPage(services);
}

}  // namespace headroom
