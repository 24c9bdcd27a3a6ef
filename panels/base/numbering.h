#pragma once

#include <cstdint>
#include <string>

namespace headroom {

/// What people call the first layer and the first head, in every label of views and figures: 0, as
/// all files, options of commands and CSV do, or 1. One choice of the program, made before views
/// are built, and again when a person changes it. Any thread.
int numbering_base();
/// REQUIRES: 0 or 1.
void set_numbering_base(int base);

/// What this thread makes counts from `base` while this lives, whatever the program's choice is.
class NumberingScope {
  public:
    explicit NumberingScope(int base);
    ~NumberingScope();
    NumberingScope(const NumberingScope&) = delete;
    NumberingScope& operator=(const NumberingScope&) = delete;

  private:
    int before_;
};

/// Of an axis of numbers, which counts from 0 as CSV does: "layer", and that it does so where
/// labels do not.
std::string layer_axis_label();

/// A message that counts layers and heads from 0, "W_Q of layer 0", in the numbers that people see.
/// Names of tensors stay as files have them.
std::string in_shown_numbers(const std::string& message);

/// A message of files and commands, which count from 0 whatever people have chosen for labels: says
/// so where labels do not and it has such numbers.
std::string counted_from_zero(std::string message);

/// The number to show for an index that counts from 0.
inline int64_t shown_number(int64_t index) {
    return index + numbering_base();
}

}  // namespace headroom
