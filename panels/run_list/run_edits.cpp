#include "panels/run_list/run_edits.h"

#include <QInputDialog>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/run_list/color_menu.h"

namespace headroom {
namespace {

bool holds(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

QString joined(const std::vector<std::string>& words) {
    return QString::fromStdString(fmt::format("{}", fmt::join(words, " ")));
}

/// "Tags", "Tags of 3 runs".
QString title_for(const QString& what, size_t runs) {
    return runs < 2 ? what : RunEdits::tr("%1 of %2 runs").arg(what).arg(runs);
}

}  // namespace

SharedTags shared_tags(const std::vector<RunPointer>& runs) {
    SharedTags tags;
    for (const RunPointer& run : runs)
        for (const std::string& tag : run->label.tags) {
            const bool everywhere = std::all_of(runs.begin(), runs.end(), [&](const auto& other) {
                return holds(other->label.tags, tag);
            });
            std::vector<std::string>& into = everywhere ? tags.all : tags.some;
            if (!holds(into, tag)) into.push_back(tag);
        }
    return tags;
}

LabelChange change_of_tags(const std::vector<std::string>& before, const std::string& line) {
    LabelChange change;
    for (size_t begin = 0; begin < line.size();) {
        const size_t end = std::min(line.find_first_of(kTagSeparators, begin), line.size());
        const std::string word = line.substr(begin, end - begin);
        if (!word.empty() && !holds(change.tags, word)) change.tags.push_back(word);
        begin = end + 1;
    }
    for (const std::string& tag : before)
        if (!holds(change.tags, tag)) change.untags.push_back(tag);
    return change;
}

RunEdits::RunEdits(QWidget* list) : QObject(list), list_(list), theme_(light_theme()) {}

std::vector<RunPointer> RunEdits::runs_of(const std::vector<std::string>& ids) const {
    std::vector<RunPointer> runs;
    for (const std::string& id : ids)
        if (RunPointer run = look_.run(id)) runs.push_back(std::move(run));
    return runs;
}

void RunEdits::show_menu(const std::vector<std::string>& ids, const QPoint& at) {
    if (ids.empty()) return;
    QMenu menu(list_);
    menu.setObjectName("runMenu");
    menu.addAction(tr("Show or hide\tE"), this, [=, this] { toggle(ids); });
    menu.addAction(tr("Show only these"), this, [=, this] { show_alone(ids); });
    menu.addAction(tr("Show all"), this, [this] { emit hidden_asked({}); });
    menu.addSeparator();
    menu.addAction(tr("Make it the reference\tR"), this,
                   [=, this] { emit reference_asked(ids[0]); });
    menu.addSeparator();
    QMenu* colors = menu.addMenu(tr("Colour"));
    add_colors(*colors, ids);
    menu.addAction(tr("Name of the variant…\tF2"), this, [=, this] { ask_name(ids); });
    menu.addAction(tr("Tags…\tT"), this, [=, this] { ask_tags(ids); });
    menu.addAction(tr("Note…\tN"), this, [=, this] { ask_note(ids); });
    menu.addSeparator();
    menu.addAction(tr("Remove\tDel"), this, [=, this] { emit removal_asked(ids); });
    menu.exec(at);
}

bool RunEdits::press_key(const QKeyEvent& key, const std::vector<std::string>& ids,
                         const QPoint& at) {
    if (key.modifiers() != Qt::NoModifier || ids.empty()) return false;
    switch (key.key()) {
        case Qt::Key_E:
            return toggle(ids), true;
        case Qt::Key_R:
            return emit reference_asked(ids[0]), true;
        case Qt::Key_C:
            return ask_color(ids, at), true;
        case Qt::Key_T:
            return ask_tags(ids), true;
        case Qt::Key_N:
            return ask_note(ids), true;
        case Qt::Key_F2:
            return ask_name(ids), true;
        case Qt::Key_Delete:
            return emit removal_asked(ids), true;
        default:
            return false;
    }
}

void RunEdits::toggle(const std::vector<std::string>& ids) {
    const bool all = std::all_of(ids.begin(), ids.end(),
                                 [this](const std::string& id) { return look_.is_shown(id); });
    std::set<std::string> hidden = look_.hidden;
    for (const std::string& id : ids) {
        if (all)
            hidden.insert(id);
        else
            hidden.erase(id);
    }
    emit hidden_asked(hidden);
}

void RunEdits::show_alone(const std::vector<std::string>& ids) {
    std::set<std::string> hidden;
    for (const RunPointer& run : look_.runs())
        if (!holds(ids, run->id)) hidden.insert(run->id);
    emit hidden_asked(hidden);
}

/// Of the whole variant: its runs differ in shade and marker.
void RunEdits::add_colors(QMenu& menu, const std::vector<std::string>& ids) {
    const RunPointer run = look_.run(ids.front());
    fill_color_menu(menu, look_, run ? run->color : 0, theme_,
                    [=, this](int color) { emit label_asked(ids, {.color = color}); });
}

void RunEdits::ask_color(const std::vector<std::string>& ids, const QPoint& at) {
    QMenu menu(list_);
    menu.setObjectName("runColors");
    add_colors(menu, ids);
    menu.exec(at);
}

void RunEdits::ask_name(const std::vector<std::string>& ids) {
    const RunPointer run = look_.run(ids.front());
    if (!run) return;
    bool ok = false;
    const QString name = QInputDialog::getText(
        list_, tr("Name of the variant"),
        tr("In every view, for all seeds of the variant; empty: the job's name"), QLineEdit::Normal,
        QString::fromStdString(run->group), &ok);
    const std::string given = name.trimmed().toStdString();
    if (ok && given != run->group) emit label_asked(ids, {.name = given});
}

void RunEdits::ask_tags(const std::vector<std::string>& ids) {
    const SharedTags before = shared_tags(runs_of(ids));
    QString what = tr("Words separated by blanks or commas");
    if (!before.some.empty())
        what += "\n" + tr("Only some of them have, and keep: %1").arg(joined(before.some));
    bool ok = false;
    const QString line = QInputDialog::getText(list_, title_for(tr("Tags"), ids.size()), what,
                                               QLineEdit::Normal, joined(before.all), &ok);
    if (ok) emit label_asked(ids, change_of_tags(before.all, line.toStdString()));
}

void RunEdits::ask_note(const std::vector<std::string>& ids) {
    const std::vector<RunPointer> runs = runs_of(ids);
    if (runs.empty()) return;
    const std::string first = runs.front()->label.note;
    const bool alike = std::all_of(runs.begin(), runs.end(),
                                   [&](const RunPointer& run) { return run->label.note == first; });
    const QString before = alike ? QString::fromStdString(first) : QString();
    QString what = tr("Markdown; kept in the study's labels.json");
    if (!alike) what += "\n" + tr("Their notes differ: what you write takes the place of them all");
    bool ok = false;
    const QString note =
        QInputDialog::getMultiLineText(list_, title_for(tr("Note"), ids.size()), what, before, &ok);
    if (ok && note != before) emit label_asked(ids, {.note = note.toStdString()});
}

}  // namespace headroom
