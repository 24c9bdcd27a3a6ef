#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "panels/lab/lab_form.h"

namespace headroom {

/// The options of one experiment, to be typed in. UI thread only.
class LabInputs : public QWidget {
    Q_OBJECT
  public:
    /// Named after the experiment; so is each input after its option.
    explicit LabInputs(Experiment& experiment, QWidget* parent = nullptr);

    std::vector<LabField> fields() const;
    /// Marks these options alone, each with why, until it is changed.
    void mark(const std::vector<std::string>& names, const QString& problem);

  signals:
    /// fields() are others.
    void changed();
    /// Enter was pressed in a field.
    void entered();

  private:
    QWidget* make_input(const LabField& field);

    std::vector<LabField> defaults_;
    std::vector<QWidget*> inputs_;  ///< by field
};

}  // namespace headroom
