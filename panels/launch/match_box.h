#pragma once

#include <QWidget>

#include "panels/launch/launch_match.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace headroom {

/// "Match a baseline" of the launch form: a question, and the answer's proposals with a button
/// each. Working out the answer is the owner's work.
class MatchBox : public QWidget {
    Q_OBJECT
  public:
    explicit MatchBox(QWidget* parent = nullptr);

    /// Keeps the one that a person chose if it is still there; else `usual` is chosen.
    void set_baselines(const std::vector<std::string>& names, const std::string& usual);
    void show_match(const LaunchMatch& match);
    /// Takes the proposals away: the form they were made for has changed. `note` stays.
    void clear(const std::string& note = "");

    QComboBox* baseline() const { return baseline_; }
    QComboBox* measure() const { return measure_; }
    QPushButton* find_button() const { return find_; }
    const std::vector<QPushButton*>& use_buttons() const { return uses_; }
    QLabel* sentence() const { return sentence_; }

  signals:
    void asked(const headroom::MatchQuestion& question);
    void chosen(const headroom::MatchProposal& proposal);

  private:
    MatchQuestion question() const;
    void add_row(const MatchProposal& proposal);

    QComboBox* baseline_;
    QComboBox* measure_;
    QComboBox* vary_;
    QPushButton* find_;
    QGridLayout* rows_;
    QLabel* sentence_;
    QLabel* error_;
    std::vector<QPushButton*> uses_;
    QString chosen_;  ///< by a person
};

}  // namespace headroom
