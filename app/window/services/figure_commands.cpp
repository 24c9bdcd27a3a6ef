#include "app/window/services/figure_commands.h"

#include <algorithm>
#include <optional>

#include "app/window/services/study_session.h"
#include "core/study/figure_options.h"
#include "core/study/run_job.h"
#include "core/study/study_edit_figures.h"
#include "panels/base/numbering.h"
#include "panels/qt/panel.h"
#include "panels/study/merged_study.h"

namespace headroom {

/// Names of runs that a figure could not be drawn with.
struct FigureCommands::LeftOut {
    QStringList others;    ///< of other studies
    QStringList imported;  ///< from other tools' logs, which tell nothing of a model

    QString added_text(const StudyFigure& figure) const {
        QString text =
            tr("Added to the study's figures: %1").arg(QString::fromStdString(figure.name));
        if (!others.isEmpty())
            text += tr("; left out, as runs of another study: %1").arg(others.join(", "));
        if (!imported.isEmpty())
            text += tr("; left out, as imported without a model: %1").arg(imported.join(", "));
        return text;
    }
};

FigureCommands::FigureCommands(StudySession& session, QObject* parent)
    : QObject(parent), session_(session) {}

/// Figures of a study are drawn from its own runs, and most from more than their curves.
FigureCommands::LeftOut FigureCommands::leave_out(StudyFigure& figure) const {
    const StudyLook& look = session_.look();
    LeftOut left_out;
    std::erase_if(figure.runs, [&](const std::string& id) {
        const RunPointer run = look.run(id);
        if (!run) return false;
        const bool is_other = !is_own_run(*look.study, *run);
        const bool needs_model = !draws_imported(figure.recipe);
        if (!is_other && (!needs_model || run->job || !is_imported(RunFolder{run->folder})))
            return false;
        (is_other ? left_out.others : left_out.imported)
            .push_back(QString::fromStdString(run->name));
        return true;
    });
    return left_out;
}

/// Why a figure without those cannot be drawn; "" where it can.
QString FigureCommands::why_not(const StudyFigure& figure, const LeftOut& left_out) const {
    const StudyLook& look = session_.look();
    if (figure.runs.empty() && !left_out.imported.isEmpty())
        return tr("Not added: these runs were imported, and nothing is known of their models");
    if (figure.runs.empty() && !left_out.others.isEmpty())
        return tr("A study's figures show its own runs; none of these is one");
    for (const auto& [option, value] : figure.options) {
        const RunPointer run = names_run(option) ? look.run(value) : nullptr;
        if (run && !is_own_run(*look.study, *run))
            return tr("Not added: it is drawn against %1, a run of another study; choose one of "
                      "this study as the reference")
                .arg(QString::fromStdString(run->name));
    }
    return {};
}

/// The first free name that begins with its own; one that is being written is not free.
std::string FigureCommands::free_name(const std::string& stem) const {
    const std::vector<StudyFigure>& figures = session_.look().study->figures;
    const auto taken = [&](const std::string& name) {
        return underway_.contains(name) ||
               std::any_of(figures.begin(), figures.end(),
                           [&](const StudyFigure& other) { return other.name == name; });
    };
    std::string name = stem;
    for (int n = 2; taken(name); ++n) name = stem + "-" + std::to_string(n);
    return name;
}

void FigureCommands::add(StudyFigure figure, std::function<void(const StudyFigure&)> then) {
    const StudyLook& look = session_.look();
    if (!look.is_open()) return;
    const LeftOut left_out = leave_out(figure);
    if (const QString why = why_not(figure, left_out); !why.isEmpty()) {
        emit said(why);
        return;
    }
    figure.name = free_name(figure.name);
    underway_.insert(figure.name);
    session_.watcher().run([folder = look.study->folder, figure] { put_figure(folder, figure); },
                           [this, figure, left_out, then = std::move(then)](bool done) {
                               underway_.erase(figure.name);
                               if (!done) return;  // the session says why
                               emit said(left_out.added_text(figure));
                               newest_ = figure.name;
                               emit added();
                               then(figure);
                           });
}

void FigureCommands::add_page(const Panel* page) {
    std::optional<StudyFigure> figure = page->recipe();
    if (!figure) return;
    if (numbering_base() == 1) figure->options["count-from"] = "1";  // as it is looked at
    add(*std::move(figure), [this](const StudyFigure& added) {
        session_.history().add(
            tr("add the figure %1").arg(QString::fromStdString(added.name)),
            [=, this] { remove(added.name); }, [=, this] { replace(added, ""); });
    });
}

void FigureCommands::replace(const StudyFigure& figure, const std::string& was) {
    const StudyLook& look = session_.look();
    if (!look.is_open()) return;
    session_.watcher().run(
        [folder = look.study->folder, figure, was] { put_figure(folder, figure, was); });
}

void FigureCommands::put_back(const StudyFigure& figure, size_t place) {
    const StudyLook& look = session_.look();
    if (!look.is_open()) return;
    session_.watcher().run(
        [folder = look.study->folder, figure, place] { put_figure(folder, figure, "", place); });
}

void FigureCommands::move(const std::string& name, size_t place) {
    const StudyLook& look = session_.look();
    if (!look.is_open()) return;
    session_.watcher().run(
        [folder = look.study->folder, name, place] { move_figure(folder, name, place); });
}

void FigureCommands::remove(const std::string& name) {
    const StudyLook& look = session_.look();
    if (!look.is_open()) return;
    session_.watcher().run([folder = look.study->folder, name] { remove_figure(folder, name); });
    emit said(
        tr("Removed the figure %1 (Ctrl+Z brings it back)").arg(QString::fromStdString(name)));
}

void FigureCommands::refuse_page() {
    emit said(tr("A page of panels needs two figures; make them first"));
}

void FigureCommands::refuse_removal(const std::string& name, const std::string& page) {
    emit said(tr("%1 is a panel of %2; take it off that page first")
                  .arg(QString::fromStdString(name), QString::fromStdString(page)));
}

QString FigureCommands::refuse_name(const std::string& name) {
    const QString shown = QString::fromStdString(name);
    QString why = names_a_file(name)
                      ? tr("There is a figure called %1 already; choose another name").arg(shown)
                      : tr("“%1” cannot name a file; use letters, digits, - and _").arg(shown);
    emit said(why);
    return why;
}

}  // namespace headroom
