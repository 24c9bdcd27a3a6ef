#include "core/checkpoint/safetensors.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A file of the format written out by hand: length, header, data.
std::string bytes_of(const std::string& header, size_t data_bytes, uint64_t claimed = 0) {
    const uint64_t length = claimed != 0 ? claimed : header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + header + std::string(data_bytes, 'd');
}

/// What opening `bytes` as a file says, or "" if it opens.
std::string complaint(const std::string& bytes) {
    const TemporaryFolder folder;
    write_plainly(folder / "x.safetensors", bytes);
    try {
        SafetensorsFile::open(folder / "x.safetensors");
        return "";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("x.safetensors"));
        return error.what();
    }
}

TEST(Safetensors, GivesBackEveryTypeThatIsWritten) {
    const TemporaryFolder folder;
    const std::vector<float> f32{1.5f, -0.0f, std::nanf(""), 3e38f, 1e-45f, 7};
    const std::vector<double> f64{1.0 / 3.0, -1e300};
    const std::vector<bf16> half_wide{bf16(1.0f), bf16(-2.5f), bf16(3.0f)};
    const std::vector<int32_t> i32{-1, std::numeric_limits<int32_t>::max()};
    const std::vector<int64_t> i64{int64_t{1} << 40};
    const std::vector<uint8_t> u8{255, 0, 3};
    const std::vector<TensorToWrite> tensors{
        tensor_to_write<float>("a", {2, 3}, f32),      tensor_to_write<double>("b", {2}, f64),
        tensor_to_write<bf16>("c", {3, 1}, half_wide), tensor_to_write<int32_t>("d", {2}, i32),
        tensor_to_write<int64_t>("e", {}, i64),        tensor_to_write<uint8_t>("f", {3}, u8),
        tensor_to_write<float>("empty", {0, 4}, {}),
    };
    write_safetensors(folder / "x", {{"config", "{\"a\": \"\xc3\xa4\\n\"}"}}, tensors);

    const auto file = SafetensorsFile::open(folder / "x");
    EXPECT_EQ(file.names().size(), tensors.size());
    EXPECT_EQ(file.metadata().at("config"), "{\"a\": \"\xc3\xa4\\n\"}");
    EXPECT_EQ(file.info("a").shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(file.info("e").shape, std::vector<int64_t>{});
    EXPECT_EQ(std::memcmp(file.read_as<float>("a").data(), f32.data(), 24), 0);
    EXPECT_EQ(file.read_as<double>("b"), f64);
    EXPECT_EQ(file.read_as<double>("c"), (std::vector<double>{1.0, -2.5, 3.0}));
    EXPECT_EQ(file.read_as<int32_t>("d"), i32);
    EXPECT_EQ(file.read_as<int64_t>("e"), i64);
    EXPECT_EQ(file.read_as<int32_t>("f"), (std::vector<int32_t>{255, 0, 3}));
    EXPECT_TRUE(file.read_as<float>("empty").empty());
    EXPECT_EQ(file.read_as<float>("b")[0], 1.0f / 3.0f);
}

TEST(Safetensors, AlignsEveryTensorToItsElements) {
    const TemporaryFolder folder;
    const std::vector<uint8_t> u8{1, 2, 3};
    const std::vector<double> f64{1.0};
    const std::vector<TensorToWrite> tensors{tensor_to_write<uint8_t>("a", {3}, u8),
                                             tensor_to_write<double>("b", {1}, f64)};
    write_safetensors(folder / "x", {}, tensors);
    EXPECT_EQ(SafetensorsFile::open(folder / "x").info("b").begin % 8, 0u);
}

TEST(Safetensors, ReadsHalvesOfEveryKind) {
    // 1, -2, largest, smallest normal, smallest subnormal, infinity, -0; then a NaN.
    const std::vector<uint16_t> halves{0x3c00, 0xc000, 0x7bff, 0x0400,
                                       0x0001, 0x7c00, 0x8000, 0x7e01};
    const std::string header = R"({"h": {"dtype": "F16", "shape": [8], "data_offsets": [0, 16]}})";
    std::string bytes = bytes_of(header, 16);
    std::memcpy(bytes.data() + 8 + header.size(), halves.data(), 16);
    const TemporaryFolder folder;
    write_plainly(folder / "x", bytes);
    const auto read = SafetensorsFile::open(folder / "x").read_as<double>("h");
    const std::vector<double> expected{1.0,
                                       -2.0,
                                       65504.0,
                                       std::ldexp(1.0, -14),
                                       std::ldexp(1.0, -24),
                                       std::numeric_limits<double>::infinity(),
                                       0.0};
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(read[i], expected[i]) << i;
    EXPECT_TRUE(std::signbit(read[6]));
    EXPECT_TRUE(std::isnan(read[7]));
}

TEST(Safetensors, NamesTheNearestTensor) {
    const TemporaryFolder folder;
    const std::vector<float> one{1};
    const std::vector<TensorToWrite> tensors{tensor_to_write<float>("h.0.attn.q.weight", {1}, one)};
    write_safetensors(folder / "x", {}, tensors);
    const auto file = SafetensorsFile::open(folder / "x");
    try {
        file.info("h.0.attn.q.weigth");
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the nearest name in it is \"h.0.attn.q.weight\""));
    }
    EXPECT_THROW(file.read_as<int32_t>("h.0.attn.q.weight"), UserError);
    std::vector<float> two(2);
    EXPECT_THROW(file.read_into<float>("h.0.attn.q.weight", two), UserError);
}

TEST(Safetensors, RefusesIntegersThatDoNotFit) {
    const TemporaryFolder folder;
    const std::vector<int64_t> large{int64_t{1} << 40};
    const std::vector<TensorToWrite> tensors{tensor_to_write<int64_t>("e", {1}, large)};
    write_safetensors(folder / "x", {}, tensors);
    EXPECT_THROW(SafetensorsFile::open(folder / "x").read_as<int32_t>("e"), UserError);
}

TEST(SafetensorsHeader, AcceptsAFileWithoutTensors) {
    EXPECT_EQ(complaint(bytes_of("{}", 0)), "");
}

TEST(SafetensorsHeader, RefusesLengthsBeyondTheFile) {
    EXPECT_THAT(complaint(""), HasSubstr("too short"));
    EXPECT_THAT(complaint("1234567"), HasSubstr("too short"));
    EXPECT_THAT(complaint(bytes_of("{}", 0, 3)), HasSubstr("claims 3 bytes"));
    EXPECT_THAT(complaint(bytes_of("{}", 0, ~uint64_t{0})), HasSubstr("claims"));
    EXPECT_THAT(complaint(bytes_of("{}", 0, ~uint64_t{0} - 7)), HasSubstr("claims"));
}

TEST(SafetensorsHeader, RefusesWhatIsNotTheFormat) {
    EXPECT_THAT(complaint(bytes_of("not json", 0)), HasSubstr("not JSON"));
    EXPECT_THAT(complaint(bytes_of("[]", 0)), HasSubstr("not an object"));
    EXPECT_THAT(complaint(bytes_of("3", 0)), HasSubstr("not an object"));
    EXPECT_THAT(complaint(bytes_of("{", 0)), HasSubstr("not JSON"));
    EXPECT_THAT(complaint(bytes_of("{} {}", 0)), HasSubstr("not JSON"));
    EXPECT_THAT(complaint(bytes_of(R"({"a": 1})", 0)), HasSubstr("\"a\""));
    EXPECT_THAT(complaint(bytes_of(R"({"a": {"dtype": "F32"}})", 0)), HasSubstr("lacks"));
    EXPECT_THAT(complaint(bytes_of(R"({"__metadata__": {"a": 1}})", 0)), HasSubstr("number 1"));
    EXPECT_THAT(complaint(bytes_of(R"({"__metadata__": {"a": {}}})", 0)), HasSubstr("an object"));
    EXPECT_THAT(complaint(bytes_of(std::string(1, '\xff'), 0)), HasSubstr("not JSON"));
}

TEST(SafetensorsHeader, SurvivesDeepNesting) {
    EXPECT_NE(complaint(bytes_of(std::string(1 << 20, '['), 0)), "");
    std::string objects;
    for (int i = 0; i < 200000; ++i) objects += "{\"a\":";
    EXPECT_NE(complaint(bytes_of(objects, 0)), "");
}

std::string one_tensor(const std::string& dtype, const std::string& shape,
                       const std::string& offsets) {
    return R"({"w": {"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" +
           offsets + "}}";
}

TEST(SafetensorsHeader, RefusesShapesThatDoNotMatchTheirBytes) {
    EXPECT_EQ(complaint(bytes_of(one_tensor("F32", "[2, 3]", "[0, 24]"), 24)), "");
    const auto w = HasSubstr("tensor \"w\"");
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[2, 2]", "[0, 24]"), 24)), w);
    EXPECT_THAT(complaint(bytes_of(one_tensor("F64", "[2, 3]", "[0, 24]"), 24)), w);
    EXPECT_THAT(complaint(bytes_of(one_tensor("Q9", "[2, 3]", "[0, 24]"), 24)),
                AllOf(w, HasSubstr("\"Q9\"")));
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[2, 3]", "[0, 24]"), 23)),
                AllOf(w, HasSubstr("cut short")));
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[2, 3]", "[24, 0]"), 24)), w);
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[2, 3]", "[0]"), 24)), w);
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[2, -3]", "[0, 24]"), 24)),
                HasSubstr("\"w\""));
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[2, 3.0]", "[0, 24]"), 24)),
                HasSubstr("\"w\""));
}

TEST(SafetensorsHeader, RefusesShapesThatOverflow) {
    const auto impossible = HasSubstr("impossible shape");
    EXPECT_THAT(complaint(bytes_of(one_tensor("F32", "[4611686018427387904, 4]", "[0, 0]"), 0)),
                impossible);
    EXPECT_THAT(complaint(bytes_of(one_tensor("U8", "[18446744073709551615]", "[0, 0]"), 0)),
                impossible);
    EXPECT_THAT(complaint(bytes_of(one_tensor("U8", "[4294967296, 4294967296]", "[0, 0]"), 0)),
                impossible);
    EXPECT_NE(complaint(bytes_of(one_tensor("U8", "[99999999999999999999]", "[0, 0]"), 0)), "");
}

std::string two_tensors(const std::string& first, const std::string& second) {
    return R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": )" + first +
           R"(}, "b": {"dtype": "U8", "shape": [4], "data_offsets": )" + second + "}}";
}

TEST(SafetensorsHeader, RefusesHolesOverlapsAndLeftovers) {
    EXPECT_EQ(complaint(bytes_of(two_tensors("[0, 4]", "[4, 8]"), 8)), "");
    EXPECT_EQ(complaint(bytes_of(two_tensors("[4, 8]", "[0, 4]"), 8)), "");
    EXPECT_THAT(complaint(bytes_of(two_tensors("[0, 4]", "[5, 9]"), 9)), HasSubstr("hole"));
    EXPECT_THAT(complaint(bytes_of(two_tensors("[1, 5]", "[5, 9]"), 9)), HasSubstr("hole"));
    EXPECT_THAT(complaint(bytes_of(two_tensors("[0, 4]", "[3, 7]"), 7)), HasSubstr("overlap"));
    EXPECT_THAT(complaint(bytes_of(two_tensors("[0, 4]", "[0, 4]"), 4)), HasSubstr("overlap"));
    EXPECT_THAT(complaint(bytes_of(two_tensors("[0, 4]", "[4, 8]"), 9)), HasSubstr("1 bytes"));
}

TEST(SafetensorsHeader, RefusesDuplicateKeys) {
    const std::string w = R"("w": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]})";
    EXPECT_THAT(complaint(bytes_of("{" + w + ", " + w + "}", 0)), HasSubstr("twice"));
    EXPECT_THAT(complaint(bytes_of(R"({"__metadata__": {}, "__metadata__": {}})", 0)),
                HasSubstr("twice"));
    EXPECT_THAT(complaint(bytes_of(R"({"__metadata__": {"a": "", "a": ""}})", 0)),
                HasSubstr("twice"));
    EXPECT_THAT(complaint(bytes_of(R"({"w": {"dtype": "U8", "dtype": "U8"}})", 0)),
                HasSubstr("twice"));
}

TEST(SafetensorsHeader, KeepsComplaintsToOneLine) {
    const std::string name(5000, 'n');
    const std::string text = complaint(bytes_of(R"({"a\n)" + name + R"(": 1})", 0));
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_LT(text.size(), 1000u);
}

TEST(Safetensors, SurvivesEveryTruncationAndManyFlippedBytes) {
    const TemporaryFolder folder;
    std::vector<float> values(50);
    std::iota(values.begin(), values.end(), 0.0f);
    const std::vector<TensorToWrite> tensors{tensor_to_write<float>("a.weight", {5, 10}, values),
                                             tensor_to_write<float>("b", {50}, values)};
    write_safetensors(folder / "x", {{"config", "{}"}}, tensors);
    const std::string good = read_text(folder / "x");
    for (size_t size = 0; size < good.size(); ++size)
        EXPECT_NE(complaint(good.substr(0, size)), "") << size;
    std::mt19937_64 random(1);
    for (int i = 0; i < 3000; ++i) {
        std::string bytes = good;
        bytes[random() % 300] ^= static_cast<char>(1 + random() % 255);
        write_plainly(folder / "y", bytes);
        try {
            const auto file = SafetensorsFile::open(folder / "y");
            for (const std::string& name : file.names()) {
                EXPECT_LE(file.info(name).begin + file.info(name).bytes, bytes.size());
                EXPECT_EQ(file.raw(name).size(), file.info(name).bytes);
            }
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr(folder.path().string()));
        }
    }
}

}  // namespace
}  // namespace headroom
