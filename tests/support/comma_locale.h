#pragma once

#include <clocale>
#include <cstdlib>
#include <string>

#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

namespace headroom {

/// A language that writes 0,5, which few machines have: made in a folder of its own. While this
/// lives, the environment names it; setlocale(LC_ALL, "") and programs that are started take it.
class CommaLocale {
  public:
    CommaLocale() {
        const std::string command = "localedef -i de_DE -f UTF-8 --no-archive '" +
                                    (folder_ / kName).string() + "' > /dev/null 2>&1";
        made_ = std::system(command.c_str()) == 0;
    }
    ~CommaLocale() { std::setlocale(LC_ALL, before_.c_str()); }

    /// False where localedef or its sources are not installed.
    bool made() const { return made_; }
    /// In this process; whether numbers have a comma now.
    bool enter() const {
        return std::setlocale(LC_ALL, "") != nullptr && *std::localeconv()->decimal_point == ',';
    }

  private:
    static constexpr char kName[] = "de_DE.UTF-8";

    TemporaryFolder folder_;
    std::string before_ = std::setlocale(LC_ALL, nullptr);
    Environment path_{"LOCPATH", folder_.path().string()}, all_{"LC_ALL", kName};
    bool made_ = false;
};

}  // namespace headroom
