#pragma once

#include <QDialog>
#include <vector>

#include "panels/base/theme.h"
#include "panels/launch/launch_form.h"

class QComboBox;

namespace headroom {

class ArchitecturePanel;

/// Pictures of the models that the launch form would train, kept up to date while one types.
class PictureDialog : public QDialog {
    Q_OBJECT
  public:
    explicit PictureDialog(QWidget* parent = nullptr);

    /// The models of the runs, one for each variant; without runs the last ones stay.
    void set_runs(const std::vector<LaunchRun>& runs);
    ArchitecturePanel* panel() const { return panel_; }
    QComboBox* variant() const { return variant_; }

  private:
    void show_variant();
    void export_picture();

    std::vector<LaunchRun> shown_;  ///< one for each variant
    QComboBox* variant_;
    ArchitecturePanel* panel_;
};

}  // namespace headroom
