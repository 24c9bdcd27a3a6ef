#pragma once

#include <QWidget>
#include <string>
#include <utility>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/figure/page_export.h"
#include "panels/imgui/canvas_host.h"
#include "panels/wiring_editor/draw_wiring_editor.h"
#include "panels/wiring_editor/wiring_counts.h"

class QComboBox;
class QPushButton;
class QToolButton;

namespace headroom {

class WiringEditorControls;
class WiringLossesPanel;
class WiringTrialStrip;

/// The wiring editor as widgets: a strip with what to start from and where the drawing goes, and
/// the canvas. Owns the drawing; its owner knows jobs, files of a study and forms. UI thread only.
class WiringEditorPanel : public QWidget {
    Q_OBJECT
  public:
    explicit WiringEditorPanel(QWidget* parent = nullptr);

    void set_theme(const Theme& theme);
    /// What "Start from" offers: ids and names.
    void set_starts(const std::vector<std::pair<std::string, std::string>>& starts);
    void show_start(const std::string& id);
    /// A new drawing, or another one that can be taken back.
    void begin(const std::string& title, const Job& job);
    void start(const std::string& title, const Job& job);
    /// Begins with a table that was drawn before; taking back leads to `start`.
    void take_up(const std::string& title, const Job& start, const std::string& table);
    /// What counts may be compared with, besides what it started from; nullptr if there is none.
    void set_reference(const std::string& name, std::shared_ptr<const Job> job);
    /// Predicted bytes of training what is drawn, or what is known instead.
    void set_memory(const std::string& text);
    /// What reading elsewhere costs the run that the drawing started from; nullptr where it was not
    /// measured. `note` says so, `can_measure` offers to.
    void set_rewire(std::shared_ptr<const RewireMap> map, const std::string& note,
                    bool can_measure);
    /// Counts and labels anew.
    void refresh();
    void undo();
    void redo();
    void fit();

    const WiringEditor& editor() const { return editor_; }
    WiringEditorSettings& settings() { return settings_; }
    WiringEditorControls* controls() const { return controls_; }
    WiringTrialStrip* trial() const { return trial_; }
    WiringLossesPanel* losses() const { return losses_; }
    /// Shows or hides losses().
    QToolButton* losses_button() const { return show_losses_; }
    QComboBox* starts() const { return starts_; }
    QPushButton* run_button() const { return run_; }
    /// The canvas, for tests that press on it; nullptr where OpenGL is missing.
    ImGuiWidget* canvas() const { return host_->canvas(); }
    /// Where a spot of the picture is on the canvas, as it was drawn last; (-1, -1) before.
    QPoint place_of(const WiringSpot& spot) const;
    const WiringEditorView& view() const { return view_; }
    /// What is drawn, for a file. REQUIRES: editor() is not empty.
    FigurePage page() const;

    /// Where files are looked for first.
    void set_folder(const QString& folder) { folder_ = folder; }
    /// JSON in and out; a line for the person in said().
    void copy_text();
    void paste_text();
    void open_file(const QString& path);
    void save_file(const QString& path);
    /// Keeps the table in the study's folder under a name, as wirings/NAME.json.
    void save_in_study(const QString& name);

  signals:
    void start_chosen(const QString& id);
    /// The drawing changed by what a person did here: undo() takes it back.
    void edited();
    /// The drawing is another one, whatever made it so.
    void changed();
    void run_asked();
    void measure_asked();
    void said(const QString& message);
    /// The study has another wiring of its own.
    void saved_in_study();

  private:
    struct CountQuestion {
        std::shared_ptr<const Job> drawn, baseline;  ///< no baseline: the drawing, unshared
        std::string name;                            ///< of the baseline
        std::shared_ptr<const Job> compared() const;
    };

    QWidget* make_strip();
    void draw();
    void make_room();
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    /// After something was done to the editor.
    void take(bool is_edit, bool drawing_changed);
    void show_started();
    CountQuestion count_question() const;
    void show_counts(const WiringCounts& counts);

    WiringEditor editor_;
    WiringEditorSettings settings_;
    WiringEditorView view_;
    int shown_version_ = -1;
    Theme theme_;
    std::pair<std::string, std::shared_ptr<const Job>> reference_;
    CanvasHost* host_;
    WiringEditorControls* controls_;
    WiringTrialStrip* trial_;
    WiringLossesPanel* losses_;
    QToolButton* show_losses_;
    QComboBox* starts_;
    QPushButton* run_;
    QString folder_;
    /// Last: they end before the rest goes. A large model takes longer than a frame to count.
    LatestTask<CountQuestion, WiringCounts> counts_;
    LatestTask<CountQuestion, std::string> control_;
};

}  // namespace headroom
