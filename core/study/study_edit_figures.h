#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "core/study/study.h"

namespace headroom {

/// Changes to the figures of STUDY_DIR/study.json by a program, in the way of study_edit.h.

/// Appends a figure, or puts it before the one that stands at `place`, or replaces the one called
/// `was`. UserError where the name is taken.
void put_figure(const std::filesystem::path& study_dir, const StudyFigure& figure,
                const std::string& was = "", std::optional<size_t> place = {});

/// Puts a figure at `place` among the others, which the gallery and the report follow; beyond the
/// last it is the last. Nothing happens where there is none of that name.
void move_figure(const std::filesystem::path& study_dir, const std::string& name, size_t place);

/// Nothing happens where there is no such figure. What has been drawn stays in figures/.
void remove_figure(const std::filesystem::path& study_dir, const std::string& name);

}  // namespace headroom
