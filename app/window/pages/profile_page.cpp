#include "app/window/pages/probe_page.h"
#include "panels/probe/profile_panel.h"

namespace headroom {
namespace {

class ProfilePage : public ProbePage<ProfilePanel> {
  public:
    ProfilePage(const PageInfo& info, const StudioServices& services)
        : ProbePage(info, services.probes) {
        connect(&view(), &ProfilePanel::probe_asked, this,
                [this](const std::string& kind, const auto& ids) { probe(kind, ids); });
    }

    std::optional<StudyFigure> recipe() const override {
        const ProfileSettings settings = view().settings();
        StudyFigure figure{"profile", "profile", run_ids(), {{"what", settings.what}}};
        if (!settings.tensor.empty()) figure.options["tensor"] = settings.tensor;
        figure.options["heads"] = name_of(settings.heads);
        figure.options["band"] = name_of(settings.band);
        if (!settings.group_seeds) figure.options["no-groups"] = "true";
        if (settings.log_y) figure.options["logy"] = "true";
        return figure;
    }
    QString picture_name() const override { return "profile"; }
};

}  // namespace

Page profile_page() {
    return {
        {"profiles", Panel::tr("Profiles"),
         Panel::tr("One number per layer against depth. Of the residual stream, point k is what "
                   "block k reads and the last point what the last block leaves. The effective "
                   "rank is the exponential of the entropy of the singular values' shares.")},
        make_panel<ProfilePage>};
}

}  // namespace headroom
