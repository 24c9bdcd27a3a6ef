#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace headroom {

class Panel;
class StudySession;

/// What a person does with the picture of a page. UI thread only.
class PictureCommands : public QObject {
    Q_OBJECT
  public:
    /// Files are asked for over `window`.
    PictureCommands(StudySession& session, QWidget* window);

    /// Asks for a file and writes the picture into it. It starts in the folder of the last export,
    /// of one inside a study that of the same name in the open one, or in exports/ of the study:
    /// not among the study's own figures, which the queue draws anew.
    void save(const Panel* page, const QString& ending);
    /// Puts it on the clipboard as an image of 300 dots per inch.
    void copy(const Panel* page);

  signals:
    void said(const QString& message);
    void failed(const QString& message);

  private:
    void attempt(const Panel* page, const std::function<QString(const Panel&)>& work);
    QString first_folder() const;
    void remember(const QString& folder) const;

    StudySession& session_;
    QWidget* window_;
};

}  // namespace headroom
