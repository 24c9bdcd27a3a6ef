#pragma once

#include <QComboBox>
#include <QPushButton>
#include <QSettings>

#include "app/window/pages/page_layout.h"
#include "app/window/pages/probed_runs_of.h"
#include "app/window/panels.h"
#include "app/window/services/probe_queue.h"
#include "panels/probe/probe_status_bar.h"
#include "panels/qt/panel.h"

namespace headroom {

/// A page of what probes found in the shown runs, whose main button makes the probes that are
/// missing. `View` is its widget: SimilarityPanel, ProfilePanel.
template <class View>
class ProbePage : public Panel {
  public:
    void set_theme(const Theme& theme) override { view_->set_theme(theme); }
    QWidget* options() override { return view_->controls(); }
    void set_study(const StudyLook& look) override {
        view_->set_runs(runs_ = probeable_runs(look));
    }
    void relabel() override { view_->relabel(); }
    void act() override { view_->strip()->button()->click(); }
    bool has_picture() const override { return view_->has_picture(); }
    FigurePage picture() const override { return view_->page(); }

    /// What is drawn of what; a layer is one of a model's.
    void save(QSettings& store) const override {
        for (const QComboBox* box : view_->controls()->template findChildren<QComboBox*>())
            store.setValue("probes/" + box->objectName(), box->currentText());
    }
    void restore(QSettings& store) override {
        for (QComboBox* box : view_->controls()->template findChildren<QComboBox*>())
            if (const int at = box->findText(store.value("probes/" + box->objectName()).toString());
                at >= 0)
                box->setCurrentIndex(at);
    }

  protected:
    ProbePage(const PageInfo& info, ProbeQueue* probes)
        : Panel(info), view_(new View), probes_(probes) {
        fill_page(this, view_);
        connect(view_, &View::export_asked, this, &Panel::export_asked);
        connect(view_, &View::shown, this, &Panel::picture_changed);
        connect(probes_, &ProbeQueue::probed, view_, &View::refresh);
        connect(probes_, &ProbeQueue::moved, this,
                [this] { view_->set_work(probes_->waiting(), probes_->problem()); });
    }

    const View& view() const { return *view_; }
    View& view() { return *view_; }
    std::vector<std::string> run_ids() const { return ids_of(runs_); }
    void probe(const std::string& kind, const std::vector<std::string>& ids) {
        probes_->add(kind, named_runs(runs_, ids));
    }

  private:
    View* view_;
    ProbeQueue* probes_;
    std::vector<ProbeableRun> runs_;
};

}  // namespace headroom
