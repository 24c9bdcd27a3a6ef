#pragma once

#include <QObject>
#include <QTemporaryDir>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace headroom {

class WorkerProcess;
struct WorkerEnd;

/// What to look into: a checkpoint of a run, on a text of the person's or, where that is empty, on
/// the run's own validation data.
struct AttentionRequest {
    std::filesystem::path run;
    int64_t step = -1;
    std::string text;
    bool logits = true;  ///< keep the scores before the softmax, too

    auto operator<=>(const AttentionRequest&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Probes of checkpoints, each a worker process of its own: the window computes no passes. UI
/// thread only. Workers that are still at it end with this object.
class AttentionProbes : public QObject {
    Q_OBJECT
  public:
    explicit AttentionProbes(QObject* parent = nullptr);
    ~AttentionProbes() override;

    /// Where the record of a wish is, or will be: in the run's folder, or for a text of the
    /// person's in a folder that goes with this object.
    std::filesystem::path record_file(const AttentionRequest& wish) const;

    void start(const AttentionRequest& wish);
    bool busy(const AttentionRequest& wish) const { return workers_.contains(wish); }
    /// One line on why the last probe of it came to nothing; "" if it did not fail.
    std::string problem(const AttentionRequest& wish) const;

  signals:
    /// A probe began, ended or failed.
    void changed();

  private:
    void take_end(const AttentionRequest& wish, const WorkerEnd& end);

    QTemporaryDir folder_;
    std::map<AttentionRequest, WorkerProcess*> workers_;
    std::map<AttentionRequest, std::string> problems_;
};

}  // namespace headroom
