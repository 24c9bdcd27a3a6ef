#include "app/window/pages/checkpoint_page.h"

#include <QFileDialog>

#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/services/answer_worker.h"

namespace headroom {

CheckpointPage::CheckpointPage(const PageInfo& info, const StudioServices& services)
    : Panel(info), worker_(new AnswerWorker(services.program, this)) {
    connect(worker_, &AnswerWorker::answered, this, [this](const std::string& output) {
        set_busy({});
        try {
            take(output);
        } catch (const std::exception& error) {
            show_problem(QString::fromUtf8(error.what()));
        }
    });
    connect(worker_, &AnswerWorker::failed, this, [this](const QString& problem) {
        set_busy({});
        show_problem(problem);
    });
}

void CheckpointPage::set_study(const StudyLook& look) {
    const RunPointer run = look.focused();
    const std::string focused = run ? run->id : "";
    if (worker_->is_busy() || (opened_ && focused == focused_)) return;
    opened_ = false;
    focused_ = focused;
    look_at(newest_checkpoint(look), run);
}

void CheckpointPage::open_file() {
    const std::filesystem::path path = ask_for_checkpoint_file(this, {}).toStdString();
    if (!path.empty()) opened_ = look_at({path.filename().string(), path}, nullptr);
}

void CheckpointPage::ask(const QString& doing, const std::vector<std::string>& arguments) {
    set_busy(doing);
    worker_->ask(arguments);
}

void CheckpointPage::stop() {
    worker_->stop();
    set_busy({});
}

std::filesystem::path CheckpointPage::ask_where_to_write(const QString& title,
                                                         const std::filesystem::path& suggested) {
    return QFileDialog::getSaveFileName(this, title, QString::fromStdString(suggested.string()),
                                        tr("Checkpoints (*.safetensors)"))
        .toStdString();
}

}  // namespace headroom
