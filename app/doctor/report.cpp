#include "app/doctor/report.h"

#include <cctype>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "app/doctor/shared_library.h"
#include "app/program_files.h"
#include "core/base/build_info.h"
#include "core/base/printable.h"
#include "core/base/system_info.h"

namespace headroom {
namespace {

std::string line(const std::string& name, const std::string& value) {
    return fmt::format("{:<14} {}\n", name, value);
}

std::string distribution() {
    std::ifstream file("/etc/os-release");
    constexpr std::string_view key = "PRETTY_NAME=";
    for (std::string entry; std::getline(file, entry);) {
        if (!entry.starts_with(key)) continue;
        std::string name = entry.substr(key.size());
        std::erase(name, '"');
        return name;
    }
    return "unknown system";
}

std::string system_line() {
    utsname name{};
    uname(&name);
    return fmt::format("{}, {} {} {}, glibc {}", distribution(), name.sysname, name.release,
                       name.machine, gnu_get_libc_version());
}

/// Magic numbers of statfs(2).
std::string file_system_name(long type) {
    switch (type) {
        case 0xEF53:
            return "ext";
        case 0x58465342:
            return "xfs";
        case 0x9123683E:
            return "btrfs";
        case 0x2FC12FC1:
            return "zfs";
        case 0x01021994:
            return "tmpfs";
        case 0x6969:
            return "nfs";
        case 0x0BD00BD0:
            return "lustre";
        case 0x794C7630:
            return "overlay";
        case 0x65735546:
            return "fuse";
        default:
            return fmt::format("file system {:#x}", type);
    }
}

std::string disk_line(const char* folder) {
    struct statfs disk {};
    if (statfs(folder, &disk) != 0) return "unknown";
    const double gib = static_cast<double>(disk.f_bsize) / (1 << 30);
    return fmt::format("{}, {:.1f} of {:.1f} GiB free", file_system_name(disk.f_type),
                       static_cast<double>(disk.f_bavail) * gib,
                       static_cast<double>(disk.f_blocks) * gib);
}

/// Those that change what is computed or shown; words and numbers only, cut short.
std::string variables() {
    std::string text;
    for (const char* name : {"OMP_NUM_THREADS", "OMP_WAIT_POLICY", "DNNL_MAX_CPU_ISA",
                             "CUDA_VISIBLE_DEVICES", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR",
                             "LIBGL_ALWAYS_SOFTWARE", "XDG_SESSION_TYPE", "LC_ALL", "LANG"})
        if (const char* value = std::getenv(name))
            text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, printable(value, 40));
    return text.empty() ? "none that matter" : text;
}

std::string qt_version() {
    const SharedLibrary qt("libQt6Core.so.6");
    const auto version = qt.function<const char*()>("qVersion");
    return version ? version() : "absent";
}

/// Where it is found by `word`, it must not be a part of a longer one.
bool stands_alone(const std::string& text, size_t at, size_t length) {
    const auto letter = [&](size_t i) {
        return i < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    return (at == 0 || !letter(at - 1)) && !letter(at + length);
}

void remove_word(std::string& text, const std::string& word) {
    if (word.size() < 2) return;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
        if (stands_alone(text, at, word.size()))
            text.replace(at, word.size(), "-");
        else
            at += word.size();
    }
}

bool ends_path(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',' || c == ';' || c == ')' ||
           c == '"' || c == '\'';
}

}  // namespace

PersonalWords personal_words() {
    const passwd* entry = getpwuid(getuid());
    return {entry != nullptr ? entry->pw_name : "", host_name()};
}

std::string without_personal(const std::string& text, const PersonalWords& words) {
    std::string made;
    for (size_t i = 0; i < text.size();) {
        const bool begins = text[i] == '/' && i + 1 < text.size() && !ends_path(text[i + 1]) &&
                            (i == 0 || ends_path(text[i - 1]) || text[i - 1] == '(' ||
                             text[i - 1] == '=' || text[i - 1] == ':');
        if (!begins) {
            made += text[i++];
            continue;
        }
        size_t end = i;
        while (end < text.size() && !ends_path(text[end])) ++end;
        const std::string path = text.substr(i, end - i);
        made += path.substr(path.find_last_of('/') + 1);
        i = end;
    }
    remove_word(made, words.host);
    remove_word(made, words.user);
    return made;
}

std::string doctor_report(const std::vector<Finding>& findings, const PersonalWords& words) {
    std::string text = build_text() + "\n";
    text += line("installed", program_files().installed ? "yes" : "no, run from a build");
    text += line("system", system_line());
    text += line("qt", qt_version());
    text += line("disk here", disk_line("."));
    text += line("disk tmp", disk_line("/tmp"));
    text += line("variables", variables());
    for (const Finding& finding : findings) {
        text += line(finding.name, fmt::format("{}: {}", name_of(finding.status), finding.value));
        if (finding.status == Finding::Status::kMissing && !finding.hint.empty())
            text += line("", "-> " + finding.hint);
    }
    return without_personal(text, words);
}

}  // namespace headroom
