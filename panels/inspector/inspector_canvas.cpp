#include "panels/inspector/inspector_canvas.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include "panels/imgui/imgui_widget.h"

namespace headroom {
namespace {

constexpr size_t kTileBytes = size_t{96} << 20;
constexpr size_t kTextureBytes = size_t{64} << 20;

}  // namespace

InspectorCanvas::InspectorCanvas(QWidget* parent)
    : QWidget(parent),
      view_(std::make_shared<InspectorView>()),
      theme_(light_theme()),
      images_(kTextureBytes) {
    host_ = new CanvasHost([this] { draw(); }, this);
    store_ = std::make_unique<TileStore>(kTileBytes, [this] {
        QMetaObject::invokeMethod(
            this, [this] { host_->request_frames(); }, Qt::QueuedConnection);
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(host_);
    if (canvas()) {
        canvas()->setObjectName("inspectorCanvas");
        canvas()->setAccessibleName(tr("Maps of the heads"));
        canvas()->installEventFilter(this);
        setFocusProxy(canvas());
    }
}

InspectorCanvas::~InspectorCanvas() {
    if (!canvas()) return;
    canvas()->removeEventFilter(this);
    canvas()->makeCurrent();
    images_.clear();
    canvas()->doneCurrent();
}

void InspectorCanvas::draw() {
    commands_ = draw_inspector(*view_, {theme_, *store_, images_}, settings_, place_);
    images_.end_frame();
    if (!commands_.any()) return;
    // Whoever listens may change this widget, which must not happen while it is painted.
    QMetaObject::invokeMethod(
        this, [this, commands = commands_] { emit acted(commands); }, Qt::QueuedConnection);
}

/// Esc lets a kept head go before it means anything to the window.
bool InspectorCanvas::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape && place_.locked) event->accept();
    }
    return QWidget::eventFilter(watched, event);
}

void InspectorCanvas::set_view(std::shared_ptr<const InspectorView> view) {
    view_ = std::move(view);
    host_->request_frames();
}

void InspectorCanvas::set_theme(const Theme& theme) {
    theme_ = theme;
    host_->set_theme(theme);
}

void InspectorCanvas::set_settings(const InspectorSettings& settings) {
    settings_ = settings;
    host_->request_frames();
}

void InspectorCanvas::set_place(const InspectorPlace& place) {
    place_ = place;
    host_->request_frames();
}

}  // namespace headroom
