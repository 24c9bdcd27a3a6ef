#pragma once

#include <QDialog>
#include <memory>

#include "panels/base/latest_task.h"
#include "panels/base/theme.h"
#include "panels/details/checkpoint_view.h"

class QLabel;
class QLineEdit;
class QTabWidget;

namespace headroom {

class ArchitecturePanel;
class CheckpointSaver;
class DetailsPanel;
class TryPanel;
class WiringCanvas;

/// What a checkpoint holds: its counts, its architecture, its wiring, and how it continues a text.
/// It is read on a thread of its own. Keys that another tool's file leaves open, such as a
/// nanoGPT's number of heads, are typed in below.
class CheckpointDialog : public QDialog {
    Q_OBJECT
  public:
    CheckpointDialog(const QString& path, const Theme& theme, QWidget* parent = nullptr);
    ~CheckpointDialog() override;

    void set_theme(const Theme& theme);
    bool is_loaded() const { return loaded_; }
    DetailsPanel* details() const { return details_; }
    WiringCanvas* wiring() const { return wiring_; }
    ArchitecturePanel* architecture() const { return architecture_; }
    QTabWidget* tabs() const { return tabs_; }
    TryPanel* playground() const { return playground_; }
    CheckpointSaver* saver() const { return saver_; }
    QLabel* headline() const { return headline_; }
    QLineEdit* keys() const { return keys_; }

  private:
    struct Result {
        std::shared_ptr<const CheckpointView> view;  ///< null after an error
        std::string error;
    };
    static Result load(const std::string& path, const std::vector<std::string>& sets);
    std::vector<std::string> sets() const;
    void request();
    void take(const Result& result);

    QString path_;
    QLabel* headline_;
    QLineEdit* keys_;
    DetailsPanel* details_;
    WiringCanvas* wiring_;
    ArchitecturePanel* architecture_;
    TryPanel* playground_;
    QTabWidget* tabs_;
    CheckpointSaver* saver_;
    bool loaded_ = false;
    LatestTask<std::vector<std::string>, Result> task_;  ///< last: it stops before the rest goes
};

/// Asks for a checkpoint to read, of this program or of those that it understands; "" if none is
/// chosen. `start` is the folder to begin in.
QString ask_for_checkpoint_file(QWidget* parent, const QString& start);

}  // namespace headroom
