#include "core/log/untrusted_file.h"

#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/log/file_stamp.h"
#include "core/log/h5_structure.h"
#include "core/log/trial.h"

namespace headroom::h5 {
namespace {

namespace fs = std::filesystem;

/// How trials of files ended, of the files as they were then.
class Verdicts {
  public:
    /// The signal, 0 for one that came back; none if the file was not tried as it is now.
    std::optional<int> of(const FileStamp& file, Reading reading) const {
        const std::lock_guard lock(mutex_);
        const auto it = files_.find({file.device, file.inode, reading});
        if (it == files_.end() || !it->second.file.same_content(file)) return std::nullopt;
        return it->second.signal;
    }
    void keep(const FileStamp& file, Reading reading, int signal) {
        const std::lock_guard lock(mutex_);
        files_[{file.device, file.inode, reading}] = {file, signal};
    }

  private:
    struct Verdict {
        FileStamp file;
        int signal = 0;
    };

    mutable std::mutex mutex_;
    std::map<std::tuple<dev_t, ino_t, Reading>, Verdict> files_;
};

/// As signal_of_trial(), which is asked only where that is not known. A file that hangs is looked
/// at several times a second, perhaps by several threads.
int remembered_signal(const fs::path& path, const FileStamp& file, Reading reading) {
    static auto* const verdicts = new Verdicts;
    static auto* const trying = new std::mutex;
    if (const auto known = verdicts->of(file, reading)) return *known;
    const std::lock_guard lock(*trying);
    if (const auto known = verdicts->of(file, reading)) return *known;
    const int signal = signal_of_trial(path, reading);
    // Nothing in a file sends SIGKILL: somebody ended the child, or the system for its memory.
    if (file.is_settled() && signal != SIGKILL) verdicts->keep(file, reading, signal);
    return signal;
}

}  // namespace

void require_survivable(const fs::path& path, Reading reading) {
    if (reading != Reading::kForeign) require_sound_structure(path);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;  // opening it will say why
    const int signal = remembered_signal(path, stamp_of(status), reading);
    if (signal == SIGALRM) throw Error("HDF5 does not come to an end with it");
    if (signal != 0)
        throw Error(
            fmt::format("it would have ended the program: HDF5, which read it in a process "
                        "of its own first, ended that with \"{}\"",
                        ::strsignal(signal)));
}

Id open_untrusted(const fs::path& path, Reading reading) {
    require_survivable(path, reading);
    return open_file(path, reading);
}

}  // namespace headroom::h5
