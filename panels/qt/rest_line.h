#pragma once

#include <QLabel>

namespace headroom {

/// One line where a view has no room for all runs that are looked at; hidden where it has. UI
/// thread only.
class RestLine : public QLabel {
    Q_OBJECT
  public:
    explicit RestLine(QWidget* parent = nullptr);

    /// So many of all.
    void set_shown(size_t shown, size_t all);
};

}  // namespace headroom
