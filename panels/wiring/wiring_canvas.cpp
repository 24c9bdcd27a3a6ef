#include "panels/wiring/wiring_canvas.h"

#include <QVBoxLayout>

#include "panels/imgui/imgui_widget.h"

namespace headroom {

WiringCanvas::WiringCanvas(QWidget* parent)
    : QWidget(parent), view_(std::make_shared<WiringView>()), theme_(light_theme()) {
    host_ = new CanvasHost(
        [this] { commands_ = draw_wiring(*view_, ownership_, theme_, settings_); }, this);
    if (canvas()) canvas()->setAccessibleName(tr("Wiring of the model"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(host_);
}

void WiringCanvas::set_view(std::shared_ptr<const WiringView> view) {
    view_ = std::move(view);
    ownership_ = build_ownership(*view_);
    host_->request_frames();
}

void WiringCanvas::set_theme(const Theme& theme) {
    theme_ = theme;
    host_->set_theme(theme);
}

void WiringCanvas::set_settings(const WiringSettings& settings) {
    settings_ = settings;
    host_->request_frames();
}

}  // namespace headroom
