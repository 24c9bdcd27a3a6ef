#include "datasets/formats/token_file.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "datasets/formats/token_stream.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// The bytes of little-endian 32-bit words.
std::string words(const std::vector<uint32_t>& values) {
    std::string bytes;
    for (const uint32_t value : values)
        for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
    return bytes;
}

std::string llmc_header(uint32_t magic, uint32_t version, uint32_t count) {
    std::string header = words({magic, version, count});
    header.resize(1024, '\0');
    return header;
}

class TokenFiles : public testing::Test {
  protected:
    std::string write(const std::string& content) const {
        std::ofstream(folder_ / "t.bin", std::ios::binary) << content;
        return (folder_ / "t.bin").string();
    }
    std::vector<int32_t> read(const std::string& content) const {
        const TokenArray tokens = open_token_file(write(content)).tokens;
        std::vector<int32_t> ids(static_cast<size_t>(tokens.size()));
        tokens.read(0, ids);
        return ids;
    }
    std::string message_of(const std::string& content) const {
        try {
            open_token_file(write(content));
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder_;
};

TEST_F(TokenFiles, NanoGptIsRawLittleEndianUint16) {
    EXPECT_EQ(read(std::string("\x01\x00\x50\xc4\xff\xff", 6)),
              (std::vector<int32_t>{1, 50256, 65535}));
}

TEST_F(TokenFiles, LlmcHasAHeaderOf256Words) {
    EXPECT_EQ(read(llmc_header(20240520, 1, 2) + std::string("\x02\x01\x50\xc4", 4)),
              (std::vector<int32_t>{258, 50256}));
    EXPECT_EQ(read(llmc_header(20240801, 7, 2) + words({128000, 0x7fffffff})),
              (std::vector<int32_t>{128000, 0x7fffffff}));
}

TEST_F(TokenFiles, IdsBeyondInt32ReadAsNoId) {
    const TokenArray tokens =
        open_token_file(write(llmc_header(20240801, 7, 1) + words({0xffffffff}))).tokens;
    std::vector<int32_t> ids(1);
    tokens.read(0, ids);
    EXPECT_EQ(ids[0], -1);
    EXPECT_EQ(tokens.largest_id(), int64_t{1} << 31);
}

TEST_F(TokenFiles, BrokenOnesAreRefusedByName) {
    EXPECT_THAT(message_of(""), HasSubstr("t.bin is empty"));
    EXPECT_THAT(message_of("abc"), HasSubstr("an odd number"));
    EXPECT_THAT(message_of(llmc_header(20240520, 2, 0)), HasSubstr("version 2"));
    EXPECT_THAT(message_of(llmc_header(20240801, 1, 0)), HasSubstr("version 1"));
    EXPECT_THAT(message_of(llmc_header(20240520, 1, 1000) + "ab"),
                HasSubstr("announces 1000 tokens but holds 1"));
    EXPECT_THAT(message_of(llmc_header(20240520, 1, 0xffffffff) + "ab"), HasSubstr("announces -1"));
    EXPECT_THAT(message_of(llmc_header(20240520, 1, 0).substr(0, 500)), HasSubstr("its header"));
    EXPECT_THROW(open_token_file("/no/such/file"), UserError);
}

TEST_F(TokenFiles, IdsOf32BitsWithoutAHeaderAreNotReadByHalves) {
    std::string wide, narrow;
    for (uint32_t i = 0; i < 2000; ++i) {
        wide += words({i * 37 % 90000});
        narrow += std::string{static_cast<char>(i % 2 == 0 ? i : 0), '\0'};
    }
    EXPECT_THAT(message_of(wide), HasSubstr("looks like 32-bit ids"));
    EXPECT_THAT(message_of(wide + words({70000})), HasSubstr("looks like 32-bit ids"));
    EXPECT_EQ(message_of(wide.substr(0, 400)), "no error") << "too few to tell";
    EXPECT_EQ(message_of(narrow), "no error") << "a text of digits and blanks";
    std::ofstream(folder_ / "t.bin.manifest.json") << "{}";
    EXPECT_EQ(message_of(wide), "no error") << "made here";
    std::filesystem::remove(folder_ / "t.bin.manifest.json");
    EXPECT_EQ(message_of(std::string(800, '\0')), "no error");
    std::string text = narrow;
    text[3] = 9;
    EXPECT_EQ(message_of(text), "no error");
}

TEST_F(TokenFiles, WrittenOnesAreReadBack) {
    const std::vector<int32_t> ids{0, 7, 50256, 65535};
    for (const TokenFormat format :
         {TokenFormat::kNanoGpt, TokenFormat::kLlmc16, TokenFormat::kLlmc32}) {
        const std::string path = (folder_ / "written.bin").string();
        TokenStream writer(path, format, {});
        writer.append(ids);
        writer.append(ids);
        writer.finish();
        const TokenFile file = open_token_file(path);
        EXPECT_EQ(file.format, format);
        ASSERT_EQ(file.tokens.size(), 8);
        std::vector<int32_t> back(4);
        file.tokens.read(4, back);
        EXPECT_EQ(back, ids);
    }
}

TEST_F(TokenFiles, AreWrittenByOneAtATimeAndReplaceFilesAlone) {
    const std::string path = (folder_ / "alone.bin").string();
    {
        TokenStream writer(path, TokenFormat::kNanoGpt, {});
        writer.append(std::vector<int32_t>{1, 2});
        EXPECT_THROW(TokenStream(path, TokenFormat::kNanoGpt, {}), UserError);
        writer.finish();
        TokenStream next(path, TokenFormat::kNanoGpt, {});
        EXPECT_EQ(open_token_file(path).tokens.size(), 2);
    }
    const std::string link = (folder_ / "link.bin").string();
    std::filesystem::create_symlink(path, link);
    EXPECT_THROW(TokenStream(link, TokenFormat::kNanoGpt, {}), UserError);
    EXPECT_FALSE(std::filesystem::exists(link + ".partial"));
}

TEST_F(TokenFiles, RefuseIdsThatDoNotFit) {
    TokenStream writer(folder_ / "refused.bin", TokenFormat::kNanoGpt, {});
    EXPECT_THROW(writer.append(std::vector<int32_t>{65536}), UserError);
    EXPECT_THROW(writer.append(std::vector<int32_t>{-1}), UserError);
}

}  // namespace
}  // namespace headroom
