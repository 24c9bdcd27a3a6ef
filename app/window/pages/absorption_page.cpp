#include <QPushButton>
#include <optional>

#include "app/window/pages/checkpoint_page.h"
#include "app/window/pages/page_layout.h"
#include "panels/figure/figure_chart.h"
#include "panels/lab/absorption_panel.h"

namespace headroom {
namespace {

class AbsorptionPage : public CheckpointPage {
  public:
    AbsorptionPage(const PageInfo& info, const StudioServices& services)
        : CheckpointPage(info, services), panel_(new AbsorptionPanel) {
        fill_page(this, panel_);
        connect(panel_, &AbsorptionPanel::export_asked, this, &Panel::export_asked);
        connect(panel_, &AbsorptionPanel::picture_changed, this, &Panel::picture_changed);
        connect(panel_->chart(), &FigureChart::stepped, this, &Panel::stepped);
        connect(panel_, &AbsorptionPanel::open_asked, this, [this] { open_file(); });
        connect(panel_, &AbsorptionPanel::decide_asked, this, [this] {
            asked_ = Asked::kAnswers;
            ask(tr("Reading the weights …"),
                {"absorb", "decide", "--checkpoint", checkpoint_, "--json"});
        });
        connect(panel_, &AbsorptionPanel::history_asked, this, [this] {
            asked_ = Asked::kHistory;
            ask(tr("Reading every checkpoint of the run …"), {"absorb", "history", run_, "--json"});
        });
        connect(panel_, &AbsorptionPanel::apply_asked, this,
                [this] { write("apply", tr("Write the checkpoint without the skips")); });
        connect(panel_, &AbsorptionPanel::make_asked, this,
                [this] { write("make", tr("Write the checkpoint that can lose its skips")); });
        connect(panel_, &AbsorptionPanel::stop_asked, this, [this] { stop(); });
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* focus_target() override { return panel_->decide_button(); }
    bool has_picture() const override { return panel_->has_picture(); }
    FigurePage picture() const override { return panel_->page(); }
    void act() override { panel_->decide_button()->click(); }
    void undo() override { panel_->chart()->undo_zoom(); }
    void redo() override { panel_->chart()->redo_zoom(); }

  protected:
    bool look_at(const NamedCheckpoint& checkpoint, const RunPointer& run) override {
        checkpoint_ = checkpoint.path;
        const bool several = run && run->checkpoints.size() > 1;
        run_ = several ? checkpoint_.parent_path().parent_path() : "";
        panel_->set_name(checkpoint.name, several);
        return !checkpoint_.empty();
    }
    void set_busy(const QString& words) override { panel_->set_busy(words); }
    void show_problem(const QString& problem) override { panel_->show_problem(problem); }

    void take(const std::string& output) override {
        if (asked_ == Asked::kAnswers) return panel_->take_answers(output);
        if (asked_ == Asked::kHistory) return panel_->take_history(output);
        panel_->show_problem(tr("Written: %1").arg(QString::fromStdString(out_.string())));
    }

  private:
    enum class Asked { kAnswers, kHistory, kFile };

    /// "demo-absorb-make-1.safetensors"; `verb` is apply or make.
    void write(const std::string& verb, const QString& title) {
        const std::optional<int> layer = panel_->chosen_layer();
        const std::string number = layer ? "-" + std::to_string(*layer) : "";
        out_ = ask_where_to_write(
            title, checkpoint_.parent_path() /
                       (checkpoint_.stem().string() + "-absorb-" + verb + number + ".safetensors"));
        if (out_.empty()) return;
        std::vector<std::string> arguments{"absorb", verb, "--checkpoint", checkpoint_,
                                           "--out",  out_, "--json"};
        if (layer) arguments.insert(arguments.end(), {"--layer", std::to_string(*layer)});
        asked_ = Asked::kFile;
        ask(tr("Writing %1 …").arg(QString::fromStdString(out_.filename().string())), arguments);
    }

    AbsorptionPanel* panel_;
    std::filesystem::path checkpoint_, run_, out_;
    Asked asked_ = Asked::kAnswers;
};

}  // namespace

Page absorption_page() {
    return {{"absorption", Panel::tr("Absorption"),
             Panel::tr(
                 "Whether an MLP of the same width can do without the skip around it (Mijoski & "
                 "Karbevski 2026): for ReLU, GELU and SiLU exactly if a set of its neurons adds "
                 "up to minus the skip, so that every coefficient is 0 or 1. A norm in front "
                 "makes it impossible at any width. *Over training* draws how far every layer was "
                 "from it at each checkpoint of the run, *Apply* writes the checkpoint without "
                 "the skips, *Make* the nearest one that can lose them. `headroom absorb` does "
                 "the same.")},
            make_panel<AbsorptionPage>};
}

}  // namespace headroom
