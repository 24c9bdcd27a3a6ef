#pragma once

#include <QDialog>
#include <filesystem>
#include <vector>

#include "app/study/study_templates.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace headroom {

class WorkerProcess;
struct WorkerEnd;

/// The papers' figures and tables as studies: what each asks, the sentences that it tests, what it
/// will take on this machine, and its outcome where one was kept. Makes a study of one. UI thread
/// only.
class GalleryDialog : public QDialog {
    Q_OBJECT
  public:
    /// `templates` as templates_folder(); `program` is `headroom`, which predicts the cost; studies
    /// are made in `parent_folder` unless another is typed.
    GalleryDialog(const std::filesystem::path& templates, std::filesystem::path program,
                  const QString& parent_folder, QWidget* parent = nullptr);
    ~GalleryDialog() override;

    /// Of the study that was made; "" before.
    const QString& made() const { return made_; }

  private:
    QWidget* make_details();
    QWidget* make_foot();
    const StudyTemplate& chosen() const;
    std::string scale() const;
    void choose();
    void show_template();
    void show_claims(const Study& study);
    void show_outcome();
    void predict();
    void take_prediction(const WorkerEnd& end);
    void browse();
    void make();

    std::vector<StudyTemplate> templates_;
    std::filesystem::path program_;
    QString parent_folder_, made_;
    QListWidget* list_;
    QComboBox* scale_;
    QLabel *title_, *question_, *outcome_, *outcome_note_, *cost_, *data_, *problem_;
    QWidget* claims_;
    QVBoxLayout* claim_rows_;
    QLineEdit* folder_;
    QPushButton* make_;
    WorkerProcess* worker_ = nullptr;
    QByteArray output_;
};

}  // namespace headroom
