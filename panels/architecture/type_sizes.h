#pragma once

namespace headroom {

/// Sizes of type in drawings of architectures, in points: of what a box is, and of what is said
/// about it.
constexpr double kLabelType = 6.6, kNoteType = 5.6;

}  // namespace headroom
