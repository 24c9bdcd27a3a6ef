#include "app/window/services/figure_commands.h"

#include <algorithm>
#include <optional>

#include "app/window/services/study_session.h"
#include "core/study/figure_options.h"
#include "core/study/study_edit.h"
#include "panels/base/numbering.h"
#include "panels/qt/panel.h"
#include "panels/study/merged_study.h"

namespace headroom {

namespace {

QString added_text(const StudyFigure& figure, const QStringList& others) {
    QString added = FigureCommands::tr("Added to the study's figures: %1")
                        .arg(QString::fromStdString(figure.name));
    if (others.isEmpty()) return added;
    return FigureCommands::tr("%1; left out, as runs of another study: %2")
        .arg(added, others.join(", "));
}

}  // namespace

FigureCommands::FigureCommands(StudySession& session, QObject* parent)
    : QObject(parent), session_(session) {}

/// A run that was added to the study from another; nullptr for one of its own.
RunPointer FigureCommands::run_of_another(const std::string& id) const {
    const RunPointer run = session_.look().run(id);
    return run && !is_own_run(*session_.look().study, *run) ? run : nullptr;
}

/// Figures of a study are drawn from its own runs: the names of those that were taken out.
QStringList FigureCommands::leave_out_others(StudyFigure& figure) const {
    QStringList names;
    std::erase_if(figure.runs, [&](const std::string& id) {
        const RunPointer run = run_of_another(id);
        if (run) names.push_back(QString::fromStdString(run->name));
        return run != nullptr;
    });
    return names;
}

/// Why a figure without the others cannot be drawn; "" where it can.
QString FigureCommands::why_not(const StudyFigure& figure, const QStringList& others) const {
    if (figure.runs.empty() && !others.isEmpty())
        return tr("A study's figures show its own runs; none of these is one");
    for (const auto& [option, value] : figure.options)
        if (const RunPointer run = names_run(option) ? run_of_another(value) : nullptr)
            return tr("Not added: it is drawn against %1, a run of another study; choose one of "
                      "this study as the reference")
                .arg(QString::fromStdString(run->name));
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
    const QStringList others = leave_out_others(figure);
    if (const QString why = why_not(figure, others); !why.isEmpty()) {
        emit said(why);
        return;
    }
    figure.name = free_name(figure.name);
    underway_.insert(figure.name);
    session_.watcher().run([folder = look.study->folder, figure] { put_figure(folder, figure); },
                           [this, figure, others, then = std::move(then)](bool done) {
                               underway_.erase(figure.name);
                               if (!done) return;  // the session says why
                               emit said(added_text(figure, others));
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
