#include "app/window/pages/probe_page.h"
#include "panels/probe/similarity_panel.h"

namespace headroom {
namespace {

class SimilarityPage : public ProbePage<SimilarityPanel> {
  public:
    SimilarityPage(const PageInfo& info, const StudioServices& services)
        : ProbePage(info, services.probes) {
        connect(&view(), &SimilarityPanel::probe_asked, this,
                [this](const auto& ids) { probe("similarity", ids); });
    }

    std::optional<StudyFigure> recipe() const override {
        const SimilaritySettings settings = view().settings();
        StudyFigure figure{"similarity", "similarity", run_ids(), {}};
        figure.options["what"] = name_of(settings.map);
        if (!settings.tensor.empty()) figure.options["tensor"] = settings.tensor;
        if (settings.layer) figure.options["layer"] = std::to_string(*settings.layer);
        if (!settings.diagonal) figure.options["no-diagonal"] = "true";
        return figure;
    }
};

}  // namespace

Page similarity_page() {
    return {
        {"similarity", Panel::tr("Similarity"),
         Panel::tr("How alike heads, tokens or layers are, from -1 to 1. Cosines compare two heads "
                   "or two tokens of one layer; CKA compares what two layers hold, whatever "
                   "rotation or scale lies between them. All maps share one scale.")},
        make_panel<SimilarityPage>};
}

}  // namespace headroom
