#pragma once

#include <QAbstractTableModel>
#include <set>

#include "panels/jobs/job_table.h"

namespace headroom {

/// The queue as Qt's table views read it. A new table changes only the rows that differ, so that
/// selection and scroll position stay. UI thread only.
class JobTableModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column {
        kName,
        kVariant,
        kState,
        kProgress,
        kLoss,
        kValLoss,
        kTokensPerSecond,
        kRemaining,
        kStarted,
        kColumns
    };
    enum Role { kProgressRole = Qt::UserRole, kToneRole, kColorRole, kShadeRole };

    using QAbstractTableModel::QAbstractTableModel;

    void set_table(JobTable table);
    const JobTable& table() const { return table_; }
    /// Columns that no view has room for now: the tips of the rows say what stands in them.
    void set_unseen(std::set<int> columns) { unseen_ = std::move(columns); }
    /// Row of a run, or -1.
    int row_of(const std::string& id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    JobTable table_;
    std::set<int> unseen_;
};

}  // namespace headroom
