#pragma once

#include <QObject>
#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "panels/base/latest_task.h"
#include "panels/probe/probed_runs.h"
#include "panels/wiring_editor/wiring_findings.h"

namespace headroom {

class ProbeQueue;

/// What probes measured of the trained run that a wiring is drawn from: files are read off the UI
/// thread, as they appear. UI thread only.
class WiringProbes : public QObject {
    Q_OBJECT
  public:
    explicit WiringProbes(ProbeQueue* queue);

    /// The run that is looked at from now on, if any.
    void look_at(const std::optional<ProbeableRun>& run);
    const std::optional<ProbeableRun>& run() const { return run_; }
    const WiringFindings& findings() const { return findings_; }
    /// Whether the folder of the run was looked through.
    bool looked() const { return looked_; }

    void measure(const std::string& kind);
    /// Ends what is being measured of the run, and forgets what waits.
    void stop();
    /// The probe of the run that is being made, "" if none, and how far it is.
    std::string working_on() const;
    double share() const;
    const std::string& problem() const;

  signals:
    /// findings() or the work on them changed.
    void changed();

  private:
    static constexpr size_t kKinds = 3;
    using ProbeFile = std::pair<std::filesystem::path, std::filesystem::file_time_type>;
    struct Question {
        ProbeableRun run;
        std::array<ProbeFile, kKinds> shown;  ///< what need not be read again
    };
    struct Answer {
        std::string run;                      ///< its id
        std::array<ProbeFile, kKinds> shown;  ///< of the question
        std::array<ProbeFile, kKinds> files;
        WiringFindings findings;  ///< null: as shown, or none
    };
    static Answer read(const Question& question);
    void look();
    void take(const Answer& answer);

    ProbeQueue* queue_;
    std::optional<ProbeableRun> run_;
    std::array<ProbeFile, kKinds> shown_;
    WiringFindings findings_;
    bool looked_ = false;
    LatestTask<Question, Answer> reader_;  ///< last: it ends before the rest goes
};

}  // namespace headroom
