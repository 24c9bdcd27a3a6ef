#include "datasets/images/picture_folder.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "datasets/images/decode_picture.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// The entries that `take` takes, sorted.
template <class Take>
std::vector<fs::path> entries_of(const fs::path& folder, Take&& take) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (take(*entry)) found.push_back(entry->path());
    if (error)
        throw UserError(
            fmt::format("images {} cannot be listed: {}", folder.string(), error.message()),
            "check the path and its permissions");
    std::sort(found.begin(), found.end());
    return found;
}

bool is_folder(const fs::directory_entry& entry) {
    std::error_code ignored;
    return entry.is_directory(ignored);
}

bool is_picture(const fs::directory_entry& entry) {
    std::error_code ignored;
    return is_picture_name(entry.path()) && entry.is_regular_file(ignored);
}

class PictureFolder : public Pictures {
  public:
    explicit PictureFolder(fs::path folder) : folder_(std::move(folder)) {
        for (const fs::path& of_class : entries_of(folder_, is_folder)) {
            const std::vector<fs::path> files = entries_of(of_class, is_picture);
            if (files.empty())
                throw UserError(
                    fmt::format("images {} has no .png, .jpg or .jpeg file", of_class.string()),
                    "put the pictures of that class there, or take the folder away");
            files_.insert(files_.end(), files.begin(), files.end());
            labels_.resize(files_.size(), static_cast<int32_t>(classes_.size()));
            classes_.push_back(printable(of_class.filename().string()));
        }
        if (classes_.empty())
            throw UserError(
                fmt::format("images {} has neither CIFAR's files nor subfolders", folder_.string()),
                "put data_batch_1.bin to data_batch_5.bin and test_batch.bin of "
                "cifar-10-binary.tar.gz there, train.bin and test.bin of cifar-100-binary.tar.gz, "
                "or a subfolder of PNG or JPEG pictures for each class");
    }

    int64_t size() const override { return static_cast<int64_t>(files_.size()); }
    const std::vector<std::string>& classes() const override { return classes_; }
    int32_t label(int64_t i) const override { return labels_[static_cast<size_t>(i)]; }
    Picture read(int64_t i) const override {
        return decode_picture(files_[static_cast<size_t>(i)]);
    }
    std::string describe() const override {
        return fmt::format("{}: {} images of {} classes", folder_.string(), size(),
                           classes_.size());
    }

  private:
    fs::path folder_;
    std::vector<std::string> classes_;
    std::vector<fs::path> files_;
    std::vector<int32_t> labels_;
};

}  // namespace

std::unique_ptr<Pictures> open_picture_folder(const fs::path& folder) {
    return std::make_unique<PictureFolder>(folder);
}

}  // namespace headroom
