#pragma once

#include <QStringList>

class QApplication;

namespace headroom {

/// Answers --help and --version, which need no display; false if neither was asked for.
bool print_usage(int argc, char** argv);

/// What must be set before QApplication is made: the OpenGL format of the canvases.
void prepare_window();

/// `headroom-studio [STUDY_DIR]`: opens the window and returns the program's exit status when it is
/// closed. For tests and the README: --screenshot FILE.png [--size 1280x800] [--theme light|dark]
/// [--after-ms N] [--select RUN] [--press ACTION] saves a picture of the window and ends.
int run_window(QApplication& application, const QStringList& arguments);

}  // namespace headroom
