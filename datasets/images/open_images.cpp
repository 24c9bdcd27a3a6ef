#include "datasets/images/open_images.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/key_error.h"
#include "datasets/images/cifar.h"
#include "datasets/images/image_source.h"
#include "datasets/images/picture_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

PicturePart part_of(const DataSpec& spec, PicturePart usual) {
    PicturePart part = usual;
    for (const auto& [name, value] : spec.options) {
        if (name != "part" || (value != "train" && value != "test"))
            throw UserError(fmt::format("\"{}\" has the bad option {}={}", spec.text, name, value),
                            "the one option of images: is part=train or part=test");
        part = value == "train" ? PicturePart::kTrain : PicturePart::kTest;
    }
    return part;
}

std::shared_ptr<const Pictures> open_pictures(const DataSpec& spec, PicturePart usual) {
    const fs::path path = spec.name;
    const PicturePart part = part_of(spec, usual);
    std::error_code ignored;
    const bool is_folder = fs::is_directory(path, ignored);
    if (!is_folder && !fs::is_regular_file(path, ignored))
        throw UserError(fmt::format("images {} does not exist", spec.name),
                        "unpack cifar-10-binary.tar.gz or cifar-100-binary.tar.gz and name the "
                        "folder with its .bin files, or one with a subfolder of PNG or JPEG "
                        "pictures for each class");
    if (!is_folder || is_cifar_folder(path)) return open_cifar(path, part);
    if (!spec.options.empty())
        throw UserError(fmt::format("\"{}\" has an option, but is no CIFAR", spec.text),
                        "name the folder of that part");
    return open_picture_folder(path);
}

void check_same_classes(const Pictures& train, const Pictures& val) {
    if (train.classes() == val.classes()) return;
    throw KeyError(UserError(fmt::format("the classes of {} are others than those of {}",
                                         val.describe(), train.describe()),
                             "give both the same subfolders"),
                   {"data.train", "data.val"});
}

}  // namespace

OpenedData open_images(const DataConfig& config, const DataSpec& train, const DataSpec& val,
                       int64_t seed) {
    const auto pictures =
        about_key("data.train", [&] { return open_pictures(train, PicturePart::kTrain); });
    std::pair<PictureSet, PictureSet> sets{{pictures}, {}};
    about_key("data.val", [&] {
        if (val.kind == DataSpec::Kind::kSplit) {
            sets = split_pictures(pictures, split_fraction(val));
            return;
        }
        if (val.kind != DataSpec::Kind::kImages)
            throw UserError(fmt::format("data.val = {} is none for images", val.text),
                            "write images:FOLDER or split:0.1");
        sets.second = {open_pictures(val, PicturePart::kTest)};
        check_same_classes(*pictures, *sets.second.pictures);
    });
    const int64_t train_size = sets.first.size(), val_size = sets.second.size();
    return {make_image_source(std::move(sets.first), std::move(sets.second), config.augment, seed),
            nullptr, train_size, val_size};
}

}  // namespace headroom
