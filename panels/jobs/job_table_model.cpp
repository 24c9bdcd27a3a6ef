#include "panels/jobs/job_table_model.h"

#include <algorithm>

namespace headroom {

namespace {

struct ColumnText {
    const char* title;
    const char* tip;
    bool number;
};

constexpr ColumnText kColumnTexts[JobTableModel::kColumns] = {
    {"Run", "Name of the run; the dot is its colour in every view", false},
    {"Variant", "Architecture of its model", false},
    {"State", "What its worker process is doing", false},
    {"Progress", "Steps done of the steps planned", false},
    {"Loss", "Training loss of the last step, nats per token or image", true},
    {"Val loss", "Loss of the last evaluation, nats per token or image", true},
    {"Tokens/s", "Speed over the last 32 steps; of a run that has ended, over all of it", true},
    {"Remaining", "Estimated from the last steps", true},
    {"Last started", "When its worker last started, be it to resume the run", true},
};

bool same_runs(const JobTable& a, const JobTable& b) {
    return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                      [](const JobRow& x, const JobRow& y) { return x.id == y.id; });
}

const std::string& text_of(const JobRow& row, int column) {
    switch (column) {
        case JobTableModel::kVariant:
            return row.variant;
        case JobTableModel::kState:
            return row.state;
        case JobTableModel::kProgress:
            return row.steps;
        case JobTableModel::kLoss:
            return row.loss;
        case JobTableModel::kValLoss:
            return row.val_loss;
        case JobTableModel::kTokensPerSecond:
            return row.tokens_per_second;
        case JobTableModel::kRemaining:
            return row.remaining;
        case JobTableModel::kStarted:
            return row.started;
        default:
            return row.name;
    }
}

QString tip_of(const JobRow& row, const std::set<int>& unseen) {
    QString tip = QString::fromStdString(row.detail);
    for (const int column : unseen)
        tip += QString("\n%1: %2")
                   .arg(kColumnTexts[column].title, QString::fromStdString(text_of(row, column)));
    return tip;
}

}  // namespace

void JobTableModel::set_table(JobTable table) {
    if (!same_runs(table_, table)) {
        // Rows came or went: move the old ones out from the first difference on, the new ones in.
        size_t common = 0;
        while (common < table_.rows.size() && common < table.rows.size() &&
               table_.rows[common].id == table.rows[common].id)
            ++common;
        const int first = static_cast<int>(common);
        if (common < table_.rows.size()) {
            beginRemoveRows({}, first, rowCount() - 1);
            table_.rows.resize(common);
            endRemoveRows();
        }
        if (common < table.rows.size()) {
            beginInsertRows({}, first, static_cast<int>(table.rows.size()) - 1);
            table_.rows.insert(table_.rows.end(), table.rows.begin() + first, table.rows.end());
            endInsertRows();
        }
    }
    table_.summary = std::move(table.summary);
    table_.can_start = table.can_start;
    for (size_t i = 0; i < table.rows.size(); ++i) {
        if (table_.rows[i] == table.rows[i]) continue;
        table_.rows[i] = std::move(table.rows[i]);
        const int row = static_cast<int>(i);
        emit dataChanged(index(row, 0), index(row, kColumns - 1));
    }
}

int JobTableModel::row_of(const std::string& id) const {
    const auto at = std::find_if(table_.rows.begin(), table_.rows.end(),
                                 [&](const JobRow& row) { return row.id == id; });
    return at == table_.rows.end() ? -1 : static_cast<int>(at - table_.rows.begin());
}

int JobTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int JobTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant JobTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const JobRow& row = table_.rows[static_cast<size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromStdString(text_of(row, index.column()));
        case Qt::ToolTipRole:
            return tip_of(row, unseen_);
        case Qt::TextAlignmentRole:
            return int((kColumnTexts[index.column()].number ? Qt::AlignRight : Qt::AlignLeft) |
                       Qt::AlignVCenter);
        case kProgressRole:
            return row.progress ? QVariant(*row.progress) : QVariant();
        case kToneRole:
            return static_cast<int>(row.tone);
        case kColorRole:
            return row.color;
        case kShadeRole:
            return row.shade;
        default:
            return {};
    }
}

QVariant JobTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
    const ColumnText& text = kColumnTexts[section];
    if (role == Qt::DisplayRole) return QString(text.title);
    if (role == Qt::ToolTipRole) return QString(text.tip);
    if (role == Qt::TextAlignmentRole)
        return int((text.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

}  // namespace headroom
