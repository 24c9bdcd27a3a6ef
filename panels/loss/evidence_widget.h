#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/base/theme.h"
#include "panels/loss/evidence.h"
#include "panels/study/run.h"

class QLabel;
class QTreeWidget;

namespace headroom {

class CopyTableButton;

/// The table under the loss chart. Compares on a thread of its own. UI thread only.
class EvidenceWidget : public QWidget {
    Q_OBJECT
  public:
    explicit EvidenceWidget(QWidget* parent = nullptr);
    ~EvidenceWidget() override;

    /// Compares anew if other runs ended, or something else is compared. `hidden` of the runs are
    /// not drawn, which is said.
    void show_runs(const std::vector<RunPointer>& runs, const LossSettings& settings, int hidden);
    void set_theme(const Theme& theme);
    const Evidence& evidence() const { return evidence_; }

  signals:
    void compared();

  private:
    struct Request {
        std::vector<RunPointer> runs;
        LossSettings settings;
        int hidden = 0;
    };
    void show_evidence(Evidence evidence);

    Evidence evidence_;
    Theme theme_;
    std::string compared_;  ///< what the shown numbers are of
    QTreeWidget* table_;
    QLabel* warnings_;
    CopyTableButton* copy_;
    std::unique_ptr<LatestTask<Request, Evidence>> task_;
};

}  // namespace headroom
