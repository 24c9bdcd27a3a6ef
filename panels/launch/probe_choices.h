#pragma once

#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "panels/launch/launch_form.h"

class QCheckBox;
class QLineEdit;

namespace headroom {

class ElidedLabel;

/// "Probes" of the launch form: a box for each kind, and the steps after which it looks again.
class ProbeChoices : public QWidget {
    Q_OBJECT
  public:
    explicit ProbeChoices(QWidget* parent = nullptr);

    /// `error`: which steps are none, "" if all is well.
    void set_choices(const std::vector<ProbeChoice>& choices, const std::string& error);
    QCheckBox* box(const std::string& kind) const;
    QLineEdit* steps(const std::string& kind) const;

  signals:
    void edited(const std::string& kind, bool chosen, const std::string& every);

  private:
    struct Row {
        QCheckBox* box;
        QLineEdit* steps;
    };
    void make_rows(const std::vector<ProbeChoice>& choices);

    std::map<std::string, Row> rows_;
    ElidedLabel* error_;
};

}  // namespace headroom
