#pragma once

#include <QObject>
#include <filesystem>
#include <vector>

#include "panels/playground/try_settings.h"

namespace headroom {

class GenerationWorker;
class TryPanel;

/// Starts a worker for each answer that the panel asks for, all at once or in turns, and hands on
/// what they say. UI thread only.
class TryRunner : public QObject {
  public:
    /// `program` is `headroom`.
    TryRunner(TryPanel* panel, std::filesystem::path program, QObject* parent = nullptr);

    void set_program(std::filesystem::path program) { program_ = std::move(program); }
    /// Ends all workers and forgets them; nothing more is told to the panel.
    void abandon();

  private:
    void start_all();
    void start_next();
    void start(size_t index);
    void stop_all();

    TryPanel* panel_;
    std::filesystem::path program_;
    TrySettings settings_;  ///< of the prompt that is being answered
    std::vector<GenerationWorker*> workers_;
    size_t next_ = 0;  ///< answer whose worker starts next
    bool stopping_ = false;
};

}  // namespace headroom
