#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

#include "app/window/services/attention_probes.h"
#include "app/window/services/attention_records.h"
#include "panels/base/latest_task.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/jobs/job_table.h"

namespace headroom {

/// Brings the selected runs' attention records into the inspector and starts the probes that the
/// person asks for. Files are touched on a thread of its own. UI thread only.
class InspectorPresenter : public QObject {
    Q_OBJECT
  public:
    explicit InspectorPresenter(InspectorPanel* panel, QObject* parent = nullptr);
    ~InspectorPresenter() override;

    /// At most four are shown; the first is A.
    void set_runs(const std::vector<RunPointer>& runs);
    /// "" = the runs' own validation data.
    void set_text(const std::string& text);
    /// -1 = the newest record, or the newest checkpoint.
    void set_step(int64_t step);
    /// Probes what is shown but has no record yet.
    void probe_missing();

    const std::string& text() const { return text_; }
    int64_t step() const { return step_; }
    AttentionProbes& probes() { return probes_; }

  signals:
    /// The person wants this run, by id, to be A.
    void reference_asked(const std::string& id);
    /// Other records are shown, or none.
    void shown();

  private:
    using Questions = std::vector<AttentionRecords::Question>;
    using Answers = std::vector<AttentionRecords::Answer>;
    struct Look {
        Questions questions;
        Answers answers;
    };

    void ask();
    void take(const Look& look);
    InspectorPane pane_of(size_t i) const;
    void show();
    void probe(size_t run);
    void probe_pane(int pane);
    void make_reference(int pane);
    AttentionRequest wish(size_t run, int64_t step) const;

    InspectorPanel* panel_;
    AttentionProbes probes_;
    std::vector<RunPointer> runs_;  ///< as shown
    std::string text_;
    int64_t step_ = -1;
    bool probe_when_known_ = false;
    std::vector<InspectorPane> panes_;  ///< as the panel has them
    Questions questions_;               ///< of runs_, in their order
    Answers answers_;
    std::map<AttentionRequest, bool> entered_;  ///< texts that were probed
    AttentionRecords records_;                  ///< of the looking thread
    LatestTask<Questions, Look> looking_;       ///< last: its thread ends before the rest goes
};

}  // namespace headroom
