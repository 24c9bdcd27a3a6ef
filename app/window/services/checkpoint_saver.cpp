#include "app/window/services/checkpoint_saver.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "core/base/error.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/save_weights.h"

namespace headroom {

CheckpointSaver::CheckpointSaver(QWidget* parent)
    : QWidget(parent),
      button_(new QPushButton(tr("Save for Headroom…"))),
      bar_(new QProgressBar),
      message_(new QLabel) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(message_, 1);
    row->addWidget(bar_, 1);
    row->addWidget(button_);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_->setWordWrap(true);
    bar_->setRange(0, 1000);
    bar_->hide();
    button_->setEnabled(false);
    button_->setAutoDefault(false);
    button_->setToolTip(
        tr("Write it as a checkpoint file of Headroom, with names and turns of its "
           "own and the configuration inside"));
    connect(button_, &QPushButton::clicked, this, &CheckpointSaver::press);
}

CheckpointSaver::~CheckpointSaver() = default;

void CheckpointSaver::set_source(const std::string& path, std::vector<std::string> sets) {
    path_ = path;
    sets_ = std::move(sets);
    button_->setEnabled(is_saving() || !path_.empty());
}

void CheckpointSaver::press() {
    if (is_saving()) {
        thread_.request_stop();
        return;
    }
    const QFileInfo source(QString::fromStdString(path_));
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save for Headroom"),
        source.absolutePath() + "/" + source.completeBaseName() + "-headroom.safetensors",
        tr("Checkpoints (*.safetensors)"));
    if (!file.isEmpty()) save_to(file.toStdString());
}

void CheckpointSaver::save_to(const std::string& file) {
    button_->setText(tr("Stop"));
    message_->hide();
    bar_->setValue(0);
    bar_->show();
    const auto in_window = [this](auto work) { QMetaObject::invokeMethod(this, std::move(work)); };
    thread_ = std::jthread([=, this, path = path_, sets = sets_](const std::stop_token& stop) {
        const auto progress = [&](double share) {
            if (stop.stop_requested()) throw UserError("stopped; nothing was written");
            in_window([=, this] { take(share); });
        };
        QString message = tr("Wrote %1").arg(QString::fromStdString(file));
        try {
            const CheckpointWeights weights = CheckpointWeights::open(path, {.sets = sets});
            for (const std::string& warning : save_weights(weights, file, {{}, progress}))
                message += "; " + QString::fromStdString(warning);
        } catch (const std::exception& error) {
            message = QString::fromUtf8(error.what());
        }
        in_window([=, this] { finish(message); });
    });
}

void CheckpointSaver::take(double share) {
    bar_->setValue(static_cast<int>(share * bar_->maximum()));
}

void CheckpointSaver::finish(const QString& message) {
    if (thread_.joinable()) thread_.join();
    bar_->hide();
    message_->setText(message);
    message_->show();
    button_->setText(tr("Save for Headroom…"));
    button_->setEnabled(!path_.empty());
}

}  // namespace headroom
