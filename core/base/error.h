#pragma once

#include <stdexcept>
#include <string>

namespace headroom {

/// Wrong usage or bad input: the person who runs the program can mend it. Ends with exit status 2.
/// The message reads "WHAT WAS WRONG; HOW TO MEND IT" and names the file, key or value.
class UserError : public std::invalid_argument {
  public:
    UserError(const std::string& what_was_wrong, const std::string& how_to_mend);
    explicit UserError(const std::string& message);
};

/// Something outside failed while running (file system, HDF5, device). Ends with exit status 1.
class EnvironmentError : public std::runtime_error {
  public:
    EnvironmentError(const std::string& what_was_wrong, const std::string& how_to_mend);
    explicit EnvironmentError(const std::string& message);
};

/// Thrown by CHECK: a mistake in this program, never in its input.
class InternalError : public std::logic_error {
  public:
    InternalError(const char* condition, const char* file, int line, const std::string& detail);
};

}  // namespace headroom

/// Active in release builds too. DETAIL is any expression convertible to std::string.
#define CHECK(condition, detail)                                                       \
    do {                                                                               \
        if (!(condition))                                                              \
            throw ::headroom::InternalError(#condition, __FILE__, __LINE__, (detail)); \
    } while (false)
