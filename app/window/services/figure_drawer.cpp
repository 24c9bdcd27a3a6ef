#include "app/window/services/figure_drawer.h"

#include <algorithm>

#include "app/window/services/worker_process.h"
#include "panels/base/form_words.h"

namespace headroom {

FigureDrawer::FigureDrawer(std::filesystem::path program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {}

FigureDrawer::~FigureDrawer() = default;

void FigureDrawer::ask(const std::string& name, const std::vector<std::string>& arguments,
                       bool first) {
    std::erase_if(waiting_, [&](const Request& wish) { return wish.name == name; });
    if (first)
        waiting_.push_front({name, arguments});
    else
        waiting_.push_back({name, arguments});
    if (!process_) start_next();
}

bool FigureDrawer::is_asked(const std::string& name) const {
    return (process_ && now_.name == name) ||
           std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const Request& wish) { return wish.name == name; });
}

void FigureDrawer::forget_all() {
    waiting_.clear();
    if (process_) process_->deleteLater();
    process_ = nullptr;
}

void FigureDrawer::start_next() {
    if (waiting_.empty()) return;
    now_ = std::move(waiting_.front());
    waiting_.pop_front();
    std::vector<std::string> arguments = {"figure"};
    arguments.insert(arguments.end(), now_.arguments.begin(), now_.arguments.end());
    arguments.push_back("--out=" + folder_.filePath("page.png").toStdString());
    process_ = new WorkerProcess(this);
    connect(process_, &WorkerProcess::ended, this, &FigureDrawer::take_end);
    process_->start(program_, arguments);
}

void FigureDrawer::take_end(const WorkerEnd& end) {
    if (sender() != process_) return;
    process_->deleteLater();
    process_ = nullptr;
    const std::string name = now_.name;
    if (const QImage page(folder_.filePath("page.png")); end.well() && !page.isNull())
        emit drawn(name, page);
    else
        emit failed(name, QString::fromStdString(form_words(worker_problem(end))));
    if (!process_) start_next();
}

}  // namespace headroom
