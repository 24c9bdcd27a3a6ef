// Pictures: CIFAR's files, folders of pictures, what becomes of them on the way into a batch.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/image_patches.h"
#include "datasets/images/decode_picture.h"
#include "datasets/images/resample.h"
#include "datasets/images/shuffle.h"
#include "datasets/open_data.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;
const fs::path kPictures = source_tree() / "tests/datasets/fixtures";

constexpr int64_t kPlane = 32 * 32;

/// Byte of pixel (y, x) in colour c of picture `i` of a test's set.
uint8_t byte_of(int64_t i, int64_t c, int64_t y, int64_t x) {
    return static_cast<uint8_t>((i * 31 + c * 67 + y * 5 + x * 3) % 256);
}

/// `count` records of CIFAR-10, the labels 0, 1, ...; CIFAR-100's have a coarse one before.
std::string records(int64_t first, int64_t count, int64_t classes) {
    std::string bytes;
    for (int64_t i = first; i < first + count; ++i) {
        if (classes == 100) bytes += static_cast<char>(19);
        bytes += static_cast<char>(i % classes);
        for (int64_t c = 0; c < 3; ++c)
            for (int64_t y = 0; y < 32; ++y)
                for (int64_t x = 0; x < 32; ++x) bytes += static_cast<char>(byte_of(i, c, y, x));
    }
    return bytes;
}

class Images : public testing::Test {
  protected:
    /// Two training files of 20 pictures each, and 10 test pictures.
    std::string cifar10() const {
        write_plainly(folder_ / "data_batch_1.bin", records(0, 20, 10));
        write_plainly(folder_ / "data_batch_2.bin", records(20, 20, 10));
        write_plainly(folder_ / "test_batch.bin", records(40, 10, 10));
        return folder_.path().string();
    }
    static DataConfig config(const std::string& train, const std::string& val,
                             Augmentation augment = Augmentation::kNone) {
        DataConfig config;
        config.train = train;
        config.val = val;
        config.augment = augment;
        return config;
    }
    static std::string message_of(const DataConfig& config) {
        try {
            const auto source = open_data(config, 1);
            Batch batch = Batch::of_images(1, 64, 48);
            source->train_batch(1, 0, batch);
            source->eval_batch(0, batch);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder_;
};

/// The number of (c, y, x) in row `row` of a batch of patches.
float number_at(const Batch& batch, int64_t row, int64_t side, int64_t patch, int64_t c, int64_t y,
                int64_t x) {
    const auto* numbers = reinterpret_cast<const float*>(batch.bytes("patches").data());
    const int64_t cell = y / patch * (side / patch) + x / patch;
    return numbers[row * 3 * side * side + cell * 3 * patch * patch + c * patch * patch +
                   y % patch * patch + x % patch];
}

TEST_F(Images, EvaluationTakesEveryTestPictureOnceAndIgnoresWhatComesAfter) {
    const auto source = open_data(config("images:" + cifar10(), "images:" + cifar10()), 1);
    EXPECT_EQ(source->info().vocab_size, 10);
    EXPECT_TRUE(source->info().images);
    EXPECT_THAT(source->info().description, HasSubstr("40 images of 10 classes"));
    std::multiset<int32_t> seen;
    int ignored = 0;
    for (int64_t index = 0; index < 4; ++index) {
        Batch batch = Batch::of_images(3, 64, 48);
        source->eval_batch(index, batch);
        for (int64_t row = 0; row < 3; ++row) {
            const int32_t target = batch.targets()[static_cast<size_t>(row)];
            if (target == kIgnoredTarget) {
                ++ignored;
                continue;
            }
            seen.insert(target);
            const int64_t i = 40 + target;  // the labels of the ten are all different
            for (int64_t c = 0; c < 3; ++c)
                for (int64_t y = 0; y < 32; y += 5)
                    for (int64_t x = 0; x < 32; x += 3)
                        ASSERT_EQ(number_at(batch, row, 32, 4, c, y, x),
                                  static_cast<float>(byte_of(i, c, y, x)) / 127.5f - 1.0f);
        }
    }
    EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_EQ(ignored, 2);
}

TEST_F(Images, ThePictureOfARowIsThatOfTheFiles) {
    const auto source = open_data(config("images:" + cifar10(), "images:" + cifar10()), 1);
    Batch batch = Batch::of_images(3, 16, 192);  // patches of 8 pixels
    source->eval_batch(1, batch);
    for (int64_t row = 0; row < 3; ++row) {
        const int64_t i = 40 + batch.targets()[static_cast<size_t>(row)];
        const SquarePicture picture = picture_in(batch, row);
        ASSERT_EQ(picture.side, 32);
        ASSERT_EQ(picture.pixels.size(), 3u * kPlane);
        size_t at = 0;
        for (int64_t y = 0; y < 32; ++y)
            for (int64_t x = 0; x < 32; ++x)
                for (int64_t c = 0; c < 3; ++c)
                    ASSERT_EQ(picture.pixels[at++], byte_of(i, c, y, x));
    }
}

TEST_F(Images, EveryByteComesBackFromWhatAModelReads) {
    for (int byte = 0; byte < 256; ++byte) {
        const auto pixel = static_cast<uint8_t>(byte);
        EXPECT_EQ(pixel_of_number(number_of_pixel(pixel)), pixel);
    }
    EXPECT_EQ(pixel_of_number(-1.5f), 0);
    EXPECT_EQ(pixel_of_number(7.0f), 255);
}

TEST_F(Images, TrainingGoesThroughAllPicturesBeforeOneComesAgain) {
    const auto source = open_data(config("images:" + cifar10(), "split:0.2"), 5);
    for (const int64_t micro : {0, 1}) {
        std::map<float, int> times;  // by the first number, which all 32 pictures have different
        for (int64_t step = 1; step <= 8; ++step) {
            Batch batch = Batch::of_images(8, 64, 48);
            source->train_batch(step, micro, batch);
            for (int64_t row = 0; row < 8; ++row) ++times[number_at(batch, row, 32, 4, 0, 0, 0)];
        }
        EXPECT_EQ(times.size(), 32u);
        for (const auto& [number, count] : times) EXPECT_EQ(count, 2);
    }
}

TEST_F(Images, SplitLeavesNoPictureInBoth) {
    const auto source = open_data(config("images:" + cifar10(), "split:0.25"), 5);
    std::set<float> trained, validated;
    for (int64_t step = 1; step <= 2; ++step) {
        Batch batch = Batch::of_images(20, 64, 48);
        source->train_batch(step, 0, batch);
        for (int64_t row = 0; row < 20; ++row)
            trained.insert(number_at(batch, row, 32, 4, 0, 0, 0));
    }
    Batch batch = Batch::of_images(10, 64, 48);
    source->eval_batch(0, batch);
    for (int64_t row = 0; row < 10; ++row) validated.insert(number_at(batch, row, 32, 4, 0, 0, 0));
    EXPECT_EQ(trained.size(), 30u);
    EXPECT_EQ(validated.size(), 10u);
    for (const float number : validated) EXPECT_FALSE(trained.contains(number));
}

TEST_F(Images, BatchesArePureInSeedStepAndMicro) {
    const DataConfig both = config("images:" + cifar10(), "split:0.2", Augmentation::kCropFlip);
    const auto first = open_data(both, 3), again = open_data(both, 3), other = open_data(both, 4);
    const auto batch_of = [](const DataSource& source, int64_t step, int64_t micro) {
        Batch batch = Batch::of_images(4, 64, 48);
        source.train_batch(step, micro, batch);
        return batch;
    };
    const Batch batch = batch_of(*first, 5, 1);
    batch_of(*again, 9, 0);  // what was asked before must not matter
    EXPECT_EQ(batch, batch_of(*again, 5, 1));
    EXPECT_NE(batch, batch_of(*first, 6, 1));
    EXPECT_NE(batch, batch_of(*first, 5, 0));
    EXPECT_NE(batch, batch_of(*other, 5, 1));
    std::vector<uint64_t> alone(8), together(8);
    for (int i = 0; i < 8; ++i) alone[i] = batch_of(*first, i + 1, 0).hash();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&, i] { together[i] = batch_of(*again, i + 1, 0).hash(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(alone, together);
}

/// Every augmented picture is the plain one, moved by at most four pixels, with black where nothing
/// is, and mirrored or not; all of that occurs, in about the shares that it should.
TEST_F(Images, AugmentationMovesAndMirrors) {
    write_plainly(folder_ / "data_batch_1.bin", records(0, 1, 10));
    write_plainly(folder_ / "test_batch.bin", records(0, 1, 10));
    const std::string spec = "images:" + folder_.path().string();
    const auto source = open_data(config(spec, spec, Augmentation::kCropFlip), 1);
    std::set<int64_t> lefts, tops;
    int flips = 0;
    constexpr int kRows = 400;
    Batch batch = Batch::of_images(kRows, 64, 48);
    source->train_batch(1, 0, batch);
    for (int64_t row = 0; row < kRows; ++row) {
        int matches = 0;
        for (const bool flipped : {false, true})
            for (int64_t left = -4; left <= 4; ++left)
                for (int64_t top = -4; top <= 4; ++top) {
                    bool same = true;
                    for (int64_t y = 0; same && y < 32; ++y)
                        for (int64_t x = 0; same && x < 32; ++x) {
                            const int64_t from_x = (flipped ? 31 - x : x) + left, from_y = y + top;
                            const bool inside =
                                from_x >= 0 && from_x < 32 && from_y >= 0 && from_y < 32;
                            const float expected =
                                inside
                                    ? static_cast<float>(byte_of(0, 1, from_y, from_x)) / 127.5f -
                                          1.0f
                                    : -1.0f;
                            same = number_at(batch, row, 32, 4, 1, y, x) == expected;
                        }
                    if (!same) continue;
                    ++matches;
                    lefts.insert(left);
                    tops.insert(top);
                    flips += flipped ? 1 : 0;
                }
        ASSERT_EQ(matches, 1) << row;
    }
    EXPECT_EQ(lefts.size(), 9u);
    EXPECT_EQ(tops.size(), 9u);
    EXPECT_NEAR(flips, kRows / 2, 5 * 10);  // five deviations of 400 coins
    const auto flipping = open_data(config(spec, spec, Augmentation::kFlip), 1);
    flipping->train_batch(1, 0, batch);
    for (int64_t row = 0; row < kRows; ++row)
        EXPECT_TRUE(number_at(batch, row, 32, 4, 0, 0, 0) ==
                        static_cast<float>(byte_of(0, 0, 0, 0)) / 127.5f - 1.0f ||
                    number_at(batch, row, 32, 4, 0, 0, 0) ==
                        static_cast<float>(byte_of(0, 0, 0, 31)) / 127.5f - 1.0f);
}

TEST_F(Images, Cifar100CountsItsFineLabels) {
    write_plainly(folder_ / "train.bin", records(0, 100, 100));
    write_plainly(folder_ / "test.bin", records(50, 3, 100));
    std::string names;
    for (int i = 0; i < 100; ++i) names += "name" + std::to_string(i) + "\n";
    write_plainly(folder_ / "fine_label_names.txt", names);
    const std::string spec = "images:" + folder_.path().string();
    const auto source = open_data(config(spec, spec), 1);
    EXPECT_EQ(source->info().vocab_size, 100);
    Batch batch = Batch::of_images(3, 64, 48);
    source->eval_batch(0, batch);
    std::vector<int32_t> targets(batch.targets().begin(), batch.targets().end());
    EXPECT_THAT(targets, testing::UnorderedElementsAre(50, 51, 52));
    const auto part = open_data(config(spec + "?part=test", spec + "?part=train"), 1);
    EXPECT_THAT(part->info().description, HasSubstr("train CIFAR-100"));
    EXPECT_THAT(part->info().description, HasSubstr(": 3 images of 100 classes; val"));
}

TEST_F(Images, DamagedFilesAreRefusedInOneLine) {
    const std::string spec = "images:" + cifar10();
    EXPECT_EQ(message_of(config(spec, spec)), "no error");
    const std::string file = (folder_ / "data_batch_2.bin").string();
    const auto with = [&](const std::string& bytes) {
        write_plainly(folder_ / "data_batch_2.bin", bytes);
        return message_of(config(spec, spec));
    };
    EXPECT_THAT(with(records(0, 2, 10).substr(1)), HasSubstr("no whole number of CIFAR-10's"));
    EXPECT_THAT(with(""), HasSubstr("has 0 bytes"));
    std::string wrong = records(0, 3, 10);
    wrong[3073] = 10;
    EXPECT_THAT(with(wrong), HasSubstr("record 1 has the label 10"));
    wrong[3073] = static_cast<char>(255);
    EXPECT_THAT(with(wrong), HasSubstr("record 1 has the label 255"));
    EXPECT_EQ(with(records(0, 3, 10)), "no error");
    fs::remove(folder_ / "test_batch.bin");
    EXPECT_THAT(message_of(config(spec, spec)),
                HasSubstr("has no test_batch.bin; put it there, from cifar-10-binary.tar.gz"));
    EXPECT_THAT(message_of(config("images:/nowhere", "split:0.1")), HasSubstr("does not exist"));
    EXPECT_THAT(message_of(config(spec + "?parts=test", "split:0.1")),
                HasSubstr("bad option parts=test"));
    EXPECT_THAT(message_of(config(spec, "split:0.99")), HasSubstr("leaves one side without"));
    EXPECT_THAT(message_of(config(spec, "task:grammar")), HasSubstr("none for images"));
    EXPECT_THAT(message_of(config("task:grammar", spec)), HasSubstr("images go with images"));
    EXPECT_THAT(message_of(config("mix:1 " + spec, "split:0.1")), HasSubstr("cannot be mixed"));
    const TemporaryFolder empty;
    EXPECT_THAT(message_of(config("images:" + empty.path().string(), "split:0.1")),
                HasSubstr("put data_batch_1.bin"));
}

/// PNG files of one colour, made without a library: stored blocks of zlib. `says`: a width and
/// height that its header says instead.
std::string png(uint32_t width, uint32_t height, const std::string& pixels, uint32_t says = 0) {
    const auto big = [](uint32_t n) {
        return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16),
                           static_cast<char>(n >> 8), static_cast<char>(n)};
    };
    const auto chunk = [&](const std::string& kind, const std::string& data) {
        uint32_t crc = 0xffffffffu;
        for (const char letter : kind + data) {
            crc ^= static_cast<uint8_t>(letter);
            for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
        }
        return big(static_cast<uint32_t>(data.size())) + kind + data + big(~crc);
    };
    std::string rows;
    for (uint32_t y = 0; y < height; ++y)
        rows += std::string(1, '\0') + pixels.substr(y * width * 3, width * 3);
    uint32_t a = 1, b = 0;
    for (const char letter : rows) {
        a = (a + static_cast<uint8_t>(letter)) % 65521;
        b = (b + a) % 65521;
    }
    const auto n = static_cast<uint16_t>(rows.size());
    const std::string stored{'\x78',
                             '\x01',
                             '\x01',
                             static_cast<char>(n & 255),
                             static_cast<char>(n >> 8),
                             static_cast<char>(~n & 255),
                             static_cast<char>(static_cast<uint16_t>(~n) >> 8)};
    return std::string("\x89PNG\r\n\x1a\n") +
           chunk("IHDR", big(says > 0 ? says : width) + big(says > 0 ? says : height) +
                             std::string("\x08\x02\x00\x00\x00", 5)) +
           chunk("IDAT", stored + rows + big(b << 16 | a)) + chunk("IEND", "");
}

TEST_F(Images, FoldersOfPicturesAreClasses) {
    fs::create_directories(folder_ / "cats");
    fs::create_directories(folder_ / "dogs");
    for (int i = 0; i < 4; ++i) {
        const auto light = static_cast<char>(40 * i);
        write_plainly(folder_ / "cats" / ("c" + std::to_string(i) + ".png"),
                      png(8, 8, std::string(3 * 64, light)));
        write_plainly(folder_ / "dogs" / ("d" + std::to_string(i) + ".PNG"),
                      png(12, 8, std::string(3 * 96, static_cast<char>(light + 20))));
    }
    write_plainly(folder_ / "dogs" / "notes.txt", "no picture");
    const auto source = open_data(config("images:" + folder_.path().string(), "split:0.25"), 1);
    EXPECT_EQ(source->info().vocab_size, 2);
    Batch batch = Batch::of_images(6, 4, 48);  // 8 pixels in patches of 4
    source->train_batch(1, 0, batch);
    for (int64_t row = 0; row < 6; ++row) {
        const float number = number_at(batch, row, 8, 4, 1, 3, 5);
        const int light = static_cast<int>(std::lround((number + 1) * 127.5f));
        EXPECT_EQ(light % 40, batch.targets()[static_cast<size_t>(row)] == 0 ? 0 : 20) << light;
    }
    EXPECT_THAT(message_of(config("images:" + folder_.path().string() + "?part=test", "split:0.5")),
                HasSubstr("has an option, but is no CIFAR"));
    fs::create_directories(folder_ / "empty");
    EXPECT_THAT(message_of(config("images:" + folder_.path().string(), "split:0.25")),
                HasSubstr("has no .png, .jpg or .jpeg file"));
}

/// gradient.* are 12 x 8 pixels of (20 x, 30 y, 255 - 10 x - 15 y), written by Pillow 13.0.
TEST_F(Images, PngAndJpegFilesOfOthersAreDecoded) {
    for (const auto& [name, tolerance] : {std::pair{"gradient.png", 0},
                                          {"gradient.jpg", 6},
                                          {"gradient-progressive.jpg", 6},
                                          {"gradient-cmyk.jpg", 6}}) {
        const Picture picture = decode_picture(kPictures / name);
        ASSERT_EQ(picture.width, 12);
        ASSERT_EQ(picture.height, 8);
        for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 12; ++x) {
                const uint8_t* pixel = &picture.pixels[static_cast<size_t>(3 * (12 * y + x))];
                EXPECT_NEAR(pixel[0], 20 * x, tolerance) << name;
                EXPECT_NEAR(pixel[1], 30 * y, tolerance) << name;
                EXPECT_NEAR(pixel[2], 255 - 10 * x - 15 * y, tolerance) << name;
            }
    }
    const Picture grey = decode_picture(kPictures / "grey.png");
    const uint8_t* pixel = &grey.pixels[3 * (12 * 3 + 5)];
    EXPECT_EQ(pixel[0], 101);
    EXPECT_EQ(pixel[1], 101);
    EXPECT_EQ(pixel[2], 101);
}

/// Why a file of these bytes is refused, "" if it is read.
std::string refusal_of_picture(const fs::path& path, const std::string& bytes) {
    write_plainly(path, bytes);
    try {
        decode_picture(path);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

/// Any byte may be anything.
void change_every_byte(const fs::path& path, const std::string& good) {
    for (size_t i = 0; i < good.size(); ++i) {
        std::string changed = good;
        changed[i] = static_cast<char>(changed[i] ^ 0x5a);
        refusal_of_picture(path, changed);
    }
}

/// A table that says more codes than 256, beyond which a decoder must not write, where a good one
/// stood; and one that only looks like a table, inside a comment.
TEST_F(Images, TablesOfTooManyCodesAreRefused) {
    const fs::path path = folder_ / "a.jpg";
    const std::string good = read_text(kPictures / "gradient.jpg");
    const std::string too_many = std::string("\xff\xc4\x00\x23\x00", 5) + std::string(14, '\0') +
                                 "\xff\x02" + std::string(16, 'c');
    EXPECT_THAT(refusal_of_picture(path, good.substr(0, 2) + too_many + good.substr(2)),
                HasSubstr("is damaged: Bogus Huffman table"));
    const size_t end = good.size() - 2;
    EXPECT_THAT(refusal_of_picture(path, good.substr(0, end) + too_many + good.substr(end)),
                HasSubstr("is damaged: Bogus Huffman table"));
    const std::string comment = std::string("\xff\xfe\x00\x27", 4) + too_many;
    EXPECT_EQ(refusal_of_picture(path, good.substr(0, 2) + comment + good.substr(2)), "");
}

TEST_F(Images, JpegsThatEndEarlyOrScanTooOftenAreRefused) {
    const fs::path path = folder_ / "a.jpg";
    const std::string good = read_text(kPictures / "gradient.jpg");
    EXPECT_THAT(refusal_of_picture(path, good.substr(0, good.size() - 10)),
                HasSubstr("is damaged"));
    EXPECT_THAT(refusal_of_picture(path, good.substr(0, 30)), HasSubstr("is damaged"));
    change_every_byte(path, good);
    const std::string scans = read_text(kPictures / "gradient-progressive.jpg");
    const size_t last = scans.rfind("\xff\xda"), end = scans.size() - 2;
    ASSERT_NE(last, std::string::npos);
    std::string many = scans.substr(0, end);
    for (int i = 0; i < 100; ++i) many += scans.substr(last, end - last);
    EXPECT_EQ(refusal_of_picture(path, many + scans.substr(end)), "");
    for (int i = 0; i < 100; ++i) many += scans.substr(last, end - last);
    EXPECT_THAT(refusal_of_picture(path, many + scans.substr(end)),
                HasSubstr("more than 200 scans"));
}

TEST_F(Images, PicturesThatAreNoneAreRefused) {
    const auto refusal = [&](const std::string& bytes) {
        return refusal_of_picture(folder_ / "a.png", bytes);
    };
    const std::string good = png(5, 4, std::string(60, '\x33'));
    EXPECT_EQ(refusal(good), "");
    EXPECT_THAT(refusal("hello"), HasSubstr("is no PNG or JPEG"));
    EXPECT_THAT(refusal(""), HasSubstr("is no PNG or JPEG"));
    EXPECT_THAT(refusal(good.substr(0, good.size() - 40)), HasSubstr("is damaged"));
    const auto huge = [&](uint32_t says) {
        return refusal(png(5, 4, std::string(60, '\x33'), says));
    };
    EXPECT_THAT(huge(8200), HasSubstr("has 8200 x 8200 pixels"));
    EXPECT_THAT(huge(5000), HasSubstr("says 5000 x 5000 pixels, more than its"));
    EXPECT_THAT(huge(0x7fffffff), HasSubstr("is damaged"));
    std::string flipped = good;
    flipped[17] = '\x01';
    EXPECT_THAT(refusal(flipped), HasSubstr("CRC"));
    change_every_byte(folder_ / "a.png", good);
}

/// As BILINEAR of Pillow 13.0 gives them, of a ramp.
TEST(Resample, AveragesWhenItShrinksAndInterpolatesWhenItGrows) {
    Picture ramp{8, 1, {}};
    for (int x = 0; x < 8; ++x)
        for (int c = 0; c < 3; ++c) ramp.pixels.push_back(static_cast<uint8_t>(30 * x));
    const Picture small = resample(ramp, 4, 1), large = resample(ramp, 16, 1);
    const auto reds = [](const Picture& picture) {
        std::vector<int> list;
        for (size_t i = 0; i < picture.pixels.size(); i += 3) list.push_back(picture.pixels[i]);
        return list;
    };
    // Triangles of half width 2 about 1, 3, 5, 7 in steps of 1; cut off at the borders.
    EXPECT_THAT(reds(small), testing::ElementsAre(21, 75, 135, 189));
    EXPECT_THAT(reds(large), testing::ElementsAre(0, 8, 23, 38, 53, 68, 83, 98, 113, 128, 143, 158,
                                                  173, 188, 203, 210));
    const Picture same = fit_square(resample(ramp, 9, 9), 9);
    EXPECT_EQ(same.width, 9);
    const Picture middle = fit_square(resample(ramp, 24, 8), 8);  // of 24 columns the middle 8
    EXPECT_EQ(middle.width, 8);
    EXPECT_EQ(middle.pixels[0], resample(ramp, 24, 8).pixels[3 * 8]);
}

TEST(ShuffleOrder, IsAPermutationOfItsKey) {
    for (const int64_t count : {1, 2, 3, 7, 64, 1000, 50000}) {
        const Shuffle order(count, {1, 2, 3}), other(count, {1, 2, 4});
        std::vector<bool> seen(static_cast<size_t>(count));
        int64_t same = 0, fixed = 0;
        for (int64_t i = 0; i < count; ++i) {
            const int64_t at = order.at(i);
            ASSERT_GE(at, 0);
            ASSERT_LT(at, count);
            ASSERT_FALSE(seen[static_cast<size_t>(at)]);
            seen[static_cast<size_t>(at)] = true;
            same += at == other.at(i) ? 1 : 0;
            fixed += at == i ? 1 : 0;
        }
        if (count < 1000) continue;
        EXPECT_LE(same, 10);  // one is expected
        EXPECT_LE(fixed, 10);
    }
}

}  // namespace
}  // namespace headroom
