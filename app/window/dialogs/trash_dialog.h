#pragma once

#include <QDialog>
#include <vector>

#include "core/study/trash.h"

class QPushButton;
class QTreeWidget;

namespace headroom {

class RunCommands;
class StudySession;

/// What was removed from the open study, newest first: to be brought back, or deleted for good. UI
/// thread only.
class TrashDialog : public QDialog {
    Q_OBJECT
  public:
    TrashDialog(StudySession& session, RunCommands& commands, QWidget* parent);

  private:
    /// Reads the folder anew, on the thread that touches files.
    void read();
    void fill(const std::vector<TrashEntry>& entries);
    const TrashEntry* chosen() const;
    void restore();
    void erase();

    StudySession& session_;
    RunCommands& commands_;
    QTreeWidget* list_;
    QPushButton *restore_, *erase_;
    std::vector<TrashEntry> entries_;
};

}  // namespace headroom
