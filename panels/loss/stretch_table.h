#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/base/theme.h"
#include "panels/loss/stretch_statistics.h"

class QLabel;
class QToolButton;
class QTreeWidget;

namespace headroom {

/// What each curve of a loss plot comes to on a stretch of the x axis, as a table under the chart
/// that can be copied as CSV. Long logs are read on a thread of its own. UI thread only.
class StretchTable : public QWidget {
    Q_OBJECT
  public:
    explicit StretchTable(QWidget* parent = nullptr);
    ~StretchTable() override;

    /// Becomes visible with what `view`, of these runs and settings, has there.
    void show_stretch(const LossView& view, const std::vector<RunPointer>& runs,
                      const LossSettings& settings, Range x);
    void set_theme(const Theme& theme);
    const StretchStatistics& statistics() const { return statistics_; }
    QTreeWidget* table() const { return table_; }

  signals:
    void shown();
    void closed();

  private:
    struct Request {
        LossView view;
        std::vector<RunPointer> runs;
        LossSettings settings;
        Range x;
    };
    void lay_out();
    void fill();
    void copy() const;

    StretchStatistics statistics_;
    Theme theme_;
    QLabel* title_;
    QToolButton *copy_, *close_;
    QTreeWidget* table_;
    std::unique_ptr<LatestTask<Request, StretchStatistics>> task_;
};

}  // namespace headroom
