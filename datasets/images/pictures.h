#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

/// A decoded picture: red, green and blue of each pixel, row by row.
struct Picture {
    int64_t width = 0, height = 0;
    std::vector<uint8_t> pixels;  ///< [height, width, 3]
};

/// A labelled set of pictures in files. Immutable: every member may be called from several threads.
class Pictures {
  public:
    virtual ~Pictures() = default;

    virtual int64_t size() const = 0;
    /// Names of the classes, by label.
    virtual const std::vector<std::string>& classes() const = 0;
    virtual int32_t label(int64_t i) const = 0;
    /// As it is stored. UserError naming the file if it cannot be read.
    virtual Picture read(int64_t i) const = 0;
    /// One line: what it is, how many pictures of how many classes.
    virtual std::string describe() const = 0;
};

}  // namespace headroom
