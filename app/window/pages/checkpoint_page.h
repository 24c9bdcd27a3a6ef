#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/window/pages/checkpoint_of.h"
#include "app/window/panels.h"
#include "panels/qt/panel.h"

namespace headroom {

class AnswerWorker;

/// A page about one checkpoint: the newest of the focused run, or a file that the person opened,
/// which stays until another run is focused. A worker answers one question about it at a time.
class CheckpointPage : public Panel {
  public:
    CheckpointPage(const PageInfo& info, const StudioServices& services);

    void set_study(const StudyLook& look) final;

  protected:
    /// Another checkpoint is looked at, perhaps the same as before; an empty path is none. `run` is
    /// null for a file. False where it cannot be shown.
    virtual bool look_at(const NamedCheckpoint& checkpoint, const RunPointer& run) = 0;
    /// The worker is at work on `words`; "" = it is no longer.
    virtual void set_busy(const QString& words) = 0;
    virtual void show_problem(const QString& problem) = 0;
    /// What the worker printed. May throw; then its words are shown.
    virtual void take(const std::string& output) = 0;

    void open_file();
    /// REQUIRES: the worker is idle.
    void ask(const QString& doing, const std::vector<std::string>& arguments);
    void stop();
    /// Asks where to write a checkpoint, beginning with `suggested`; "" if the person gives up.
    std::filesystem::path ask_where_to_write(const QString& title,
                                             const std::filesystem::path& suggested);

  private:
    AnswerWorker* worker_;
    std::string focused_;
    bool opened_ = false;
};

}  // namespace headroom
