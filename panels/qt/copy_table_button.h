#pragma once

#include <QToolButton>
#include <functional>
#include <string>

#include "panels/study/table_markup.h"

namespace headroom {

/// "Copy as": puts a table on the clipboard as CSV, Markdown or LaTeX.
class CopyTableButton : public QToolButton {
    Q_OBJECT
  public:
    explicit CopyTableButton(QWidget* parent = nullptr);
    /// What is copied when it is asked for: `csv` with numbers in full, `printed` as people read
    /// it.
    void set_source(std::function<std::string()> csv, std::function<PrintedTable()> printed);

  private:
    std::function<std::string()> csv_;
    std::function<PrintedTable()> printed_;
};

}  // namespace headroom
