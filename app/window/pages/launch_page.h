#pragma once

#include <QVariantMap>

#include "app/window/services/launch_probe.h"
#include "panels/launch/launch_form.h"
#include "panels/qt/panel.h"

namespace headroom {

struct StudioServices;
class LaunchPanel;
class RunCommands;
class PictureDialog;

/// The launch form: Enter ends the typing of a value and starts nothing. Kept up to date with the
/// study and its data.
class LaunchPage : public Panel {
    Q_OBJECT
  public:
    LaunchPage(const PageInfo& info, const StudioServices& services);

    void set_theme(const Theme&) override {}
    void set_study(const StudyLook& look) override;
    QWidget* focus_target() override;
    bool leave() override;
    /// Ctrl+Enter, wherever the keys go.
    void act() override { launch(); }
    /// Unfinished forms, by study. They are no part of a view: undo has steps of its own for them.
    void save(QSettings& store) const override;
    void restore(QSettings& store) override;
    void save_view(QSettings&) const override {}
    void restore_view(QSettings&) override {}

    /// Begins a new form: the study's own job, whatever was in the form before.
    void take_study_job();
    void start();
    void set_input(const LaunchInput& input);
    const LaunchInput& input() const;
    LaunchPanel* panel() const { return panel_; }
    const LaunchView& view() const { return view_; }
    /// The pictures of what will run; nullptr until they were asked for.
    PictureDialog* pictures() const { return pictures_; }

  private:
    /// Begins a form for more runs like this one.
    void start_like(const RunPointer& run);
    /// Begins a form for a model, trained as `trained` or else as the study says.
    void start_model(const ModelConfig& model, const RunPointer& trained);
    void rebuild();
    void follow_variants();
    void keep_form();
    /// The form, with the first seeds where nobody typed any.
    LaunchInput unproposed() const;
    bool is_untouched() const;
    /// Offers a form that was left; "": none.
    void offer(const QString& left);
    /// Begins the form anew; what a person wrote in it comes back with undo.
    void discard();
    void close_form();
    void launch();
    /// Forgets the form and goes to the runs.
    void cancel();
    void show_pictures();

    RunCommands* commands_;
    LaunchPanel* panel_;
    PictureDialog* pictures_ = nullptr;
    LaunchProbe probe_;
    StudyPointer study_;
    LaunchPlace place_;
    std::shared_ptr<const Job> first_run_;  ///< of the study, or null
    std::string proposed_seeds_;            ///< while the form has these, they follow its variants
    LaunchInput begun_;                     ///< as start() made it
    QVariantMap left_;                      ///< texts of unfinished forms, by their study's folder
    QString offered_;  ///< one that was there before, until it is taken up or forgotten
    LaunchView view_;
    bool launching_ = false;  ///< what stands in the form is on its way
};

}  // namespace headroom
