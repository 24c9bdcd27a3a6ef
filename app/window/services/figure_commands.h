#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <set>
#include <string>

#include "core/study/study.h"
#include "panels/study/run.h"

namespace headroom {

class Panel;
class StudySession;

/// Changes the figures of the open study, in its study.json. Files are touched on the watcher's
/// thread; what fails there the session says. UI thread only.
class FigureCommands : public QObject {
    Q_OBJECT
  public:
    FigureCommands(StudySession& session, QObject* parent);

    /// Adds it under the first free name that begins with its own. `then` is told of it once it
    /// stands in study.json. Runs of other studies, and imported ones where the recipe needs a
    /// model, are left out and said to be; what is drawn against such a run, or of such runs alone,
    /// is refused with a word.
    void add(StudyFigure figure, std::function<void(const StudyFigure& added)> then);
    /// The name of the newest figure that add() has written; "" before the first.
    const std::string& newest() const { return newest_; }
    /// What a page shows, which can be undone.
    void add_page(const Panel* page);
    /// In place of the one called `was`.
    void replace(const StudyFigure& figure, const std::string& was);
    /// Back to where it stood.
    void put_back(const StudyFigure& figure, size_t place);
    /// To another place among the figures.
    void move(const std::string& name, size_t place);
    void remove(const std::string& name);
    /// Says that there are too few figures for a page of panels.
    void refuse_page();
    /// Says that a figure stays as long as it stands on that page.
    void refuse_removal(const std::string& name, const std::string& page);
    /// Says why a figure cannot be called so; the words.
    QString refuse_name(const std::string& name);

  signals:
    /// A word for the line of jobs.
    void said(const QString& message);
    /// newest() is written, and soon in the study.
    void added();

  private:
    struct LeftOut;

    LeftOut leave_out(StudyFigure& figure) const;
    QString why_not(const StudyFigure& figure, const LeftOut& left_out) const;
    std::string free_name(const std::string& stem) const;

    StudySession& session_;
    std::set<std::string> underway_;  ///< names of those that are being written
    std::string newest_;
};

}  // namespace headroom
