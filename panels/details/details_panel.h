#pragma once

#include <QWidget>

#include "panels/details/run_details.h"

class QTreeWidget;

namespace headroom {

/// Name and value of everything known about the selected run; values can be copied.
class DetailsPanel : public QWidget {
  public:
    explicit DetailsPanel(QWidget* parent = nullptr);

    void set_details(std::vector<DetailSection> sections);
    QTreeWidget* tree() const { return tree_; }

  private:
    std::vector<DetailSection> shown_;
    QTreeWidget* tree_;
};

}  // namespace headroom
