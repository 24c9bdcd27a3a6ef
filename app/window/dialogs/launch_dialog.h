#pragma once

#include <QDialog>

#include "app/window/services/launch_probe.h"
#include "panels/launch/launch_form.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

class LaunchPanel;
class PictureDialog;

/// The launch form in a window of its own, kept up to date with the study and its data.
class LaunchDialog : public QDialog {
    Q_OBJECT
  public:
    explicit LaunchDialog(QWidget* parent = nullptr);

    void set_study(const StudyPointer& study);
    /// Begins a new form: the study's own job, whatever was in the form before.
    void start();
    void set_input(const LaunchInput& input);
    const LaunchInput& input() const;
    LaunchPanel* panel() const { return panel_; }
    const LaunchView& view() const { return view_; }
    /// The pictures of what will run; nullptr until they were asked for.
    PictureDialog* pictures() const { return pictures_; }

  signals:
    void launch_asked(const std::vector<headroom::LaunchRun>& runs);

  protected:
    /// Enter ends the typing of a value and starts nothing; Ctrl+Enter queues.
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void rebuild();
    void launch();
    void show_pictures();

    LaunchPanel* panel_;
    PictureDialog* pictures_ = nullptr;
    LaunchProbe probe_;
    LaunchPlace place_;
    LaunchView view_;
};

}  // namespace headroom
