#include "datasets/images/cifar.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/mmap_file.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSide = 32, kPlane = kSide * kSide, kPixelBytes = 3 * kPlane;
constexpr int kTrainFiles = 5;

/// One of the two sets.
struct CifarKind {
    const char* title;
    int64_t classes;
    int64_t label_bytes;  ///< the last of them is the label
    const char* names;    ///< file with a name a line
    const char* archive;  ///< what the files are distributed in
    std::vector<std::string> train, test;

    int64_t record() const { return label_bytes + kPixelBytes; }
    const std::vector<std::string>& files(PicturePart part) const {
        return part == PicturePart::kTrain ? train : test;
    }
    bool has(const std::string& name) const {
        return std::find(train.begin(), train.end(), name) != train.end() ||
               std::find(test.begin(), test.end(), name) != test.end();
    }
};

const std::vector<CifarKind>& cifar_kinds() {
    static const std::vector<CifarKind> kinds = [] {
        CifarKind ten{"CIFAR-10",        10, 1, "batches.meta.txt", "cifar-10-binary.tar.gz", {},
                      {"test_batch.bin"}};
        for (int i = 1; i <= kTrainFiles; ++i)
            ten.train.push_back(fmt::format("data_batch_{}.bin", i));
        const CifarKind hundred{
            "CIFAR-100",   100,         2, "fine_label_names.txt", "cifar-100-binary.tar.gz",
            {"train.bin"}, {"test.bin"}};
        return std::vector<CifarKind>{ten, hundred};
    }();
    return kinds;
}

/// The set that the folder has files of; null if none.
const CifarKind* kind_in(const fs::path& folder) {
    std::error_code ignored;
    for (const CifarKind& kind : cifar_kinds())
        for (const PicturePart part : {PicturePart::kTrain, PicturePart::kTest})
            for (const std::string& name : kind.files(part))
                if (fs::is_regular_file(folder / name, ignored)) return &kind;
    return nullptr;
}

const CifarKind& kind_of_file(const fs::path& file) {
    for (const CifarKind& kind : cifar_kinds())
        if (kind.has(file.filename().string())) return kind;
    throw UserError(fmt::format("images {} is not called like a file of CIFAR", file.string()),
                    "name data_batch_1.bin, test_batch.bin, train.bin or test.bin, or a folder");
}

std::vector<fs::path> files_in(const CifarKind& kind, const fs::path& folder, PicturePart part) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const std::string& name : kind.files(part))
        if (fs::is_regular_file(folder / name, ignored)) found.push_back(folder / name);
    if (found.empty())
        throw UserError(
            fmt::format("images {} has no {}", folder.string(), kind.files(part).front()),
            fmt::format("put it there, from {}", kind.archive));
    return found;
}

/// One name a line; numbers where there are not as many as classes.
std::vector<std::string> class_names(const CifarKind& kind, const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    const fs::path file = folder / kind.names;
    if (fs::is_regular_file(file, ignored)) {
        constexpr uint64_t kLargestList = 1 << 16;
        std::string line;
        for (const char letter : read_text(file, kLargestList) + "\n") {
            if (letter != '\n' && letter != '\r') {
                line += letter;
                continue;
            }
            if (!line.empty()) names.push_back(printable(line));
            line.clear();
        }
    }
    if (static_cast<int64_t>(names.size()) == kind.classes) return names;
    names.clear();
    for (int64_t label = 0; label < kind.classes; ++label) names.push_back(std::to_string(label));
    return names;
}

class Cifar : public Pictures {
  public:
    Cifar(const CifarKind& kind, const fs::path& path, const std::vector<fs::path>& files)
        : kind_(kind), path_(path) {
        classes_ = class_names(kind, files.front().parent_path());
        for (const fs::path& file : files) {
            files_.push_back(MmapFile::open(file));
            take_labels(files_.back());
            ends_.push_back(size());
        }
    }

    int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
    const std::vector<std::string>& classes() const override { return classes_; }
    int32_t label(int64_t i) const override { return labels_[static_cast<size_t>(i)]; }

    Picture read(int64_t i) const override {
        const auto file = std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin();
        const int64_t first = file == 0 ? 0 : ends_[static_cast<size_t>(file - 1)];
        const auto at = static_cast<size_t>((i - first) * kind_.record() + kind_.label_bytes);
        const auto planes = files_[static_cast<size_t>(file)].bytes().subspan(at, kPixelBytes);
        Picture picture{kSide, kSide, std::vector<uint8_t>(kPixelBytes)};
        for (int64_t pixel = 0; pixel < kPlane; ++pixel)
            for (int64_t c = 0; c < 3; ++c)
                picture.pixels[static_cast<size_t>(pixel * 3 + c)] =
                    std::to_integer<uint8_t>(planes[static_cast<size_t>(c * kPlane + pixel)]);
        return picture;
    }

    std::string describe() const override {
        return fmt::format("{} in {}: {} images of {} classes", kind_.title, path_.string(), size(),
                           kind_.classes);
    }

  private:
    void take_labels(const MmapFile& file) {
        const std::span<const std::byte> bytes = file.bytes();
        const auto record = static_cast<size_t>(kind_.record());
        if (bytes.empty() || bytes.size() % record != 0)
            throw UserError(
                fmt::format("images {} has {} bytes, no whole number of {}'s records of "
                            "{}",
                            file.path().string(), bytes.size(), kind_.title, record),
                fmt::format("take it from {} again", kind_.archive));
        for (size_t at = static_cast<size_t>(kind_.label_bytes) - 1; at < bytes.size();
             at += record) {
            const auto label = std::to_integer<int32_t>(bytes[at]);
            if (label >= kind_.classes)
                throw UserError(fmt::format("images {}: record {} has the label {}, but {} has {} "
                                            "classes",
                                            file.path().string(), at / record, label, kind_.title,
                                            kind_.classes),
                                fmt::format("take it from {} again", kind_.archive));
            labels_.push_back(label);
        }
    }

    const CifarKind& kind_;
    fs::path path_;
    std::vector<std::string> classes_;
    std::vector<MmapFile> files_;
    std::vector<int64_t> ends_;  ///< pictures in the files up to each
    std::vector<int32_t> labels_;
};

}  // namespace

bool is_cifar_folder(const fs::path& folder) {
    return kind_in(folder) != nullptr;
}

std::unique_ptr<Pictures> open_cifar(const fs::path& path, PicturePart part) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored))
        return std::make_unique<Cifar>(kind_of_file(path), path, std::vector{path});
    const CifarKind* kind = kind_in(path);
    CHECK(kind != nullptr, "a folder of CIFAR");
    return std::make_unique<Cifar>(*kind, path, files_in(*kind, path, part));
}

}  // namespace headroom
