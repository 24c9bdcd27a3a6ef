#include "app/window/services/study_notices.h"

#include <QWidget>
#include <utility>

#include "app/window/services/desktop_notes.h"
#include "app/window/services/run_commands.h"
#include "app/window/services/study_session.h"
#include "app/window/services/undo_history.h"
#include "app/window/settings.h"
#include "app/window/shell/notice_bar.h"
#include "app/window/shell/workspace.h"

namespace headroom {

StudyNotices::StudyNotices(StudySession& session, RunCommands& commands, const Places& places)
    : QObject(&places.window),
      session_(session),
      places_(places),
      desktop_(new DesktopNotes(this)) {
    connect(&session, &StudySession::changed, this, &StudyNotices::take_news);
    connect(&session, &StudySession::opened, this, [this] {
        reader_.forget();
        of_runs_.clear();
        places_.bar.clear();
    });
    connect(&commands, &RunCommands::removed, this, &StudyNotices::offer_undo);
    // Taken back by other means: there is nothing left to undo.
    connect(&session.history(), &UndoHistory::changed, this, [this] {
        if (session_.history().position() < removed_at_) places_.bar.withdraw(removed_);
    });
    connect(desktop_, &DesktopNotes::clicked, this, [this] {
        places_.window.raise();
        places_.window.activateWindow();
    });
}

/// What happened in the open study since the last look.
void StudyNotices::take_news() {
    if (!session_.look().is_open()) return reader_.forget();
    if (session_.look().study->scheduler_alive) places_.bar.withdraw(queue_ended_);
    // What is told of a run goes with it.
    std::erase_if(of_runs_, [&](const auto& notice) {
        if (session_.look().run(notice.first)) return false;
        places_.bar.withdraw(notice.second);
        return true;
    });
    for (const StudyNews& news : reader_.read(*session_.look().study)) tell(news);
}

void StudyNotices::tell(const StudyNews& news) {
    const QString text = QString::fromStdString(news.text);
    Notice notice{text};
    notice.warning = news.kind != StudyNews::Kind::kQueueEnded;
    notice.action = tr("Show");
    notice.work = [this, id = news.run] {
        if (!id.empty()) session_.select({id});
        places_.workspace.go_to(places_.workspace.find("runs"));
    };
    if (places_.settings.notices()) {
        const int number = places_.bar.post(std::move(notice));
        if (news.kind == StudyNews::Kind::kQueueEnded) queue_ended_ = number;
        if (!news.run.empty()) of_runs_.emplace(news.run, number);
    }
    if (places_.settings.desktop_messages() && !places_.window.isActiveWindow())
        desktop_->say(places_.window.windowTitle(), text);
}

/// The button takes back what the notice speaks of, not what was done after it.
void StudyNotices::offer_undo(const QString& message) {
    constexpr int kSeconds = 15;
    const auto undo = [this, step = session_.history().position()] {
        if (session_.history().position() == step)
            session_.history().undo();
        else
            emit said(tr("Something was done since: take that back first, with Ctrl+Z"));
    };
    removed_at_ = session_.history().position();
    removed_ = places_.bar.post({message, tr("Undo"), undo, kSeconds});
}

}  // namespace headroom
