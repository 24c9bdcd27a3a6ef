#pragma once

#include <QImage>
#include <QObject>
#include <QTemporaryDir>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "panels/base/worker_end.h"

namespace headroom {

class WorkerProcess;

/// Draws figures by `headroom figure`, one at a time in a process of its own, so that what a page
/// shows is what the command writes, and no figure holds up the window. UI thread only.
class FigureDrawer : public QObject {
    Q_OBJECT
  public:
    explicit FigureDrawer(std::filesystem::path program, QObject* parent = nullptr);
    ~FigureDrawer() override;

    /// Draws `name` soon, before all others if `first`. An older wish for that name is forgotten.
    /// `arguments` begin with the recipe and name no file to write.
    void ask(const std::string& name, const std::vector<std::string>& arguments, bool first);
    void forget_all();
    /// Whether it waits or is being drawn.
    bool is_asked(const std::string& name) const;

  signals:
    void drawn(const std::string& name, const QImage& page);
    /// One line that says why there is no picture.
    void failed(const std::string& name, const QString& problem);

  private:
    struct Request {
        std::string name;
        std::vector<std::string> arguments;
    };

    void start_next();
    void take_end(const WorkerEnd& end);

    std::filesystem::path program_;
    QTemporaryDir folder_;
    std::deque<Request> waiting_;
    Request now_;
    WorkerProcess* process_ = nullptr;
};

}  // namespace headroom
