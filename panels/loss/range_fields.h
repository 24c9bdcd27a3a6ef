#pragma once

#include <QWidget>
#include <optional>
#include <string>

#include "panels/figure/figure.h"

class QLineEdit;

namespace headroom {

/// From and to of both axes, to be typed. What is empty says in grey what is visible.
class RangeFields : public QWidget {
    Q_OBJECT
  public:
    explicit RangeFields(QWidget* parent = nullptr);

    /// What is visible now; `clock`: x are Unix times, shown and typed as times of day. Forgets
    /// what was typed if it is something else.
    void show_ranges(Range x, Range y, bool clock = false);
    /// Empties all fields, whatever stands in them.
    void clear();

  signals:
    /// Enter, or another field, after a range that makes sense was typed.
    void typed(headroom::Range x, headroom::Range y);

  private:
    struct Pair {
        QLineEdit *from, *to;
        Range shown;
        bool clock = false;
    };
    Pair add_pair(const QString& axis, const QString& name);
    void take();
    /// The typed range, open ends as they are shown; nothing, and a marked field, where it is none.
    static std::optional<Range> range_of(const Pair& pair);
    static void show_range(Pair& pair, Range range);

    Pair x_, y_;
};

}  // namespace headroom
