#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "core/config/job.h"
#include "panels/launch/launch_form.h"

namespace headroom {

/// Finds out what the data of a configuration are, or why they cannot be used, in a thread of the
/// pool. One look at a time; while one is under way only the newest question is kept. UI thread.
class DataProbe : public QObject {
    Q_OBJECT
  public:
    explicit DataProbe(QObject* parent = nullptr);

    /// The answer if it is known; otherwise asks, and changed() follows.
    std::optional<DataFacts> facts(const DataConfig& data);

  signals:
    void changed();

  private:
    void ask();
    void take(const DataConfig& data, const DataFacts& facts);

    QTimer delay_;  ///< lets a person finish typing
    DataConfig wanted_;
    DataConfig known_data_;
    std::optional<DataFacts> known_;
    bool busy_ = false;
};

}  // namespace headroom
