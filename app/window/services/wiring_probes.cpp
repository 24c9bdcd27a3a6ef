#include "app/window/services/wiring_probes.h"

#include <utility>

#include "app/window/services/probe_queue.h"

namespace headroom {
namespace {

/// In the order of the files of an answer.
constexpr std::array<const char*, 3> kWiringProbes{kRewireProbe, kAblationProbe, kSharingProbe};

void read_findings(size_t kind, const std::filesystem::path& file, WiringFindings& findings) {
    if (kind == 0)
        findings.rewire = std::make_shared<const RewireMap>(read_rewire_map(file));
    else if (kind == 1)
        findings.ablation = std::make_shared<const AblationMap>(read_ablation_map(file));
    else
        findings.sharing = std::make_shared<const SharingOrder>(read_sharing_order(file));
}

}  // namespace

WiringProbes::WiringProbes(ProbeQueue* queue)
    : queue_(queue), reader_(&WiringProbes::read, [this](Answer answer) {
          QMetaObject::invokeMethod(
              this, [this, answer = std::move(answer)] { take(answer); }, Qt::QueuedConnection);
      }) {
    connect(queue_, &ProbeQueue::probed, this, &WiringProbes::look);
    connect(queue_, &ProbeQueue::moved, this, &WiringProbes::changed);
}

void WiringProbes::look_at(const std::optional<ProbeableRun>& run) {
    const bool is_other = run.has_value() != run_.has_value() || (run && run->id != run_->id);
    run_ = run;
    if (is_other) {
        looked_ = false;
        shown_ = {};
        findings_ = {};
        if (run_) findings_.run = run_->name;
        emit changed();
    }
    look();
}

void WiringProbes::measure(const std::string& kind) {
    if (run_) queue_->add(kind, {*run_});
}

void WiringProbes::stop() {
    if (run_) queue_->stop(run_->folder);
}

std::string WiringProbes::working_on() const {
    return run_ ? queue_->kind_for(run_->folder) : "";
}

double WiringProbes::share() const {
    return queue_->share();
}

const std::string& WiringProbes::problem() const {
    return queue_->problem();
}

void WiringProbes::look() {
    if (run_) reader_.request({*run_, shown_});
}

/// On the reader's thread: it looks through a folder and may read a large file.
WiringProbes::Answer WiringProbes::read(const Question& question) {
    Answer answer{question.run.id, question.shown, {}, {}};
    for (size_t kind = 0; kind < kKinds; ++kind) try {
            const FoundProbes found = find_newest_probes({question.run}, kWiringProbes[kind]);
            if (found.sources.empty()) continue;
            const std::filesystem::path file = found.sources.front().file;
            std::error_code ignored;
            answer.files[kind] = {file, std::filesystem::last_write_time(file, ignored)};
            if (answer.files[kind] != question.shown[kind])
                read_findings(kind, file, answer.findings);
        } catch (const std::exception& error) {
            answer.findings.problem = error.what();
        }
    return answer;
}

void WiringProbes::take(const Answer& answer) {
    if (!run_ || run_->id != answer.run) return;
    // It left out what was shown when it was asked for; by now that may have been taken away.
    if (answer.shown != shown_) return look();
    const auto take_one = [&](size_t kind, auto& shown, const auto& read) {
        if (read || answer.files[kind].first.empty()) shown = read;
    };
    take_one(0, findings_.rewire, answer.findings.rewire);
    take_one(1, findings_.ablation, answer.findings.ablation);
    take_one(2, findings_.sharing, answer.findings.sharing);
    if (answer.files != shown_) findings_.problem = answer.findings.problem;
    shown_ = answer.files;
    looked_ = true;
    emit changed();
}

}  // namespace headroom
