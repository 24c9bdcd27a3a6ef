#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "panels/details/details_panel.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

class DetailsPage : public Panel {
  public:
    explicit DetailsPage(const PageInfo& info) : Panel(info), details_(new DetailsPanel) {
        fill_page(this, details_);
    }

    void set_theme(const Theme&) override {}
    void set_study(const StudyLook& look) override {
        const RunPointer run = look.focused();
        details_->set_details(run ? build_run_details(*run) : std::vector<DetailSection>{});
    }

  private:
    DetailsPanel* details_;
};

}  // namespace

Page details_page() {
    return {
        {"details", Panel::tr("Details"),
         Panel::tr("Everything that is known about the focused run: its job as it was resolved, "
                   "counts, host and times. Values can be copied.")},
        make_panel<DetailsPage>};
}

}  // namespace headroom
