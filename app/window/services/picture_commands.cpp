#include "app/window/services/picture_commands.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>

#include "app/window/dialogs/page_dialog.h"
#include "app/window/services/study_session.h"
#include "app/window/studio_store.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

const char* const kLastFolder = "export/folder";

}  // namespace

PictureCommands::PictureCommands(StudySession& session, QWidget* window)
    : QObject(window), session_(session), window_(window) {}

QString PictureCommands::first_folder() const {
    QString last = StudioStore().value(kLastFolder).toString();
    if (!session_.look().is_open())
        return QDir::isAbsolutePath(last) && QDir(last).exists() ? last : QDir::homePath();
    const QDir study(QString::fromStdString(session_.look().study->folder.string()));
    if (!last.isEmpty()) last = study.absoluteFilePath(last);
    if (!last.isEmpty() && QDir(last).exists()) return last;
    study.mkpath("exports");
    return study.filePath("exports");
}

/// Of a folder inside the study only its place there: it is not where another study's are wanted.
void PictureCommands::remember(const QString& folder) const {
    QString kept = folder;
    if (session_.look().is_open()) {
        const QDir study(QString::fromStdString(session_.look().study->folder.string()));
        const QString inside = study.relativeFilePath(folder);
        if (QDir::isRelativePath(inside) && !inside.startsWith("..")) kept = inside;
    }
    StudioStore().setValue(kLastFolder, kept);
}

void PictureCommands::attempt(const Panel* page, const std::function<QString(const Panel&)>& work) {
    if (!page || !page->has_picture()) return;
    try {
        if (const QString done = work(*page); !done.isEmpty()) emit said(done);
    } catch (const std::exception& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
}

void PictureCommands::save(const Panel* page, const QString& ending) {
    attempt(page, [&](const Panel& shown) {
        QString file = ask_and_write_page(window_, first_folder(), shown.picture_name(), ending,
                                          [&shown] { return shown.picture(); });
        if (file.isEmpty()) return file;
        remember(QFileInfo(file).absolutePath());
        return tr("Wrote %1").arg(file);
    });
}

void PictureCommands::copy(const Panel* page) {
    constexpr double kDotsPerPixel = 300.0 / 96.0;
    attempt(page, [](const Panel& shown) {
        QGuiApplication::clipboard()->setImage(shown.picture().image(kDotsPerPixel));
        return tr("Copied the picture of %1").arg(shown.picture_title());
    });
}

}  // namespace headroom
