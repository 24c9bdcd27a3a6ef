#include "core/study/figure_panels.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/study/figure_options.h"

namespace headroom {
namespace {

const StudyFigure& find_panel(const std::string& name, const std::vector<StudyFigure>& figures,
                              const std::string& place) {
    std::vector<std::string> known;
    for (const StudyFigure& figure : figures) {
        if (figure.recipe == kPanelsRecipe && figure.name == name)
            throw UserError(fmt::format("{}: the panel {} is itself a page of panels", place, name),
                            "name the figures that stand on it");
        if (figure.name == name) return figure;
        if (figure.recipe != kPanelsRecipe) known.push_back(figure.name);
    }
    throw UserError(fmt::format("{}: the panel {} is no figure of the study{}", place, name,
                                suggestion(name, known)));
}

}  // namespace

std::vector<StudyFigure> panels_of(const std::vector<std::string>& names,
                                   const std::vector<StudyFigure>& figures,
                                   const std::string& place) {
    constexpr size_t kLetters = 26;
    if (names.size() < 2 || names.size() > kLetters)
        throw UserError(fmt::format("{} has {} panels", place, names.size()),
                        "name two to 26 figures of the study");
    std::vector<StudyFigure> panels;
    for (const std::string& name : names) {
        if (std::count(names.begin(), names.end(), name) > 1)
            throw UserError(fmt::format("{}: the panel {} stands there twice", place, name),
                            "name every figure once");
        panels.push_back(find_panel(name, figures, place));
    }
    return panels;
}

void join_panels(std::vector<StudyFigure>& figures) {
    for (StudyFigure& page : figures) {
        if (page.recipe != kPanelsRecipe) continue;
        for (const StudyFigure& panel :
             panels_of(page.panels, figures, fmt::format("figure {}", page.name)))
            for (const std::string& id : panel.runs)
                if (std::find(page.runs.begin(), page.runs.end(), id) == page.runs.end())
                    page.runs.push_back(id);
    }
}

}  // namespace headroom
