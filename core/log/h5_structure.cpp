#include "core/log/h5_structure.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/open_file.h"
#include "core/log/h5.h"

// Names and layouts are those of the HDF5 File Format Specification, version 3.0 (sections II.A
// superblock, IV.A object headers, VII indices); all numbers little-endian, addresses and lengths
// of 8 bytes.
namespace headroom::h5 {
namespace {

constexpr uint64_t kUndefined = ~uint64_t{0};
constexpr size_t kMostObjects = 1 << 16, kMostChunks = 4096;

/// Bytes [begin, begin + size) of a file; reading beyond them is an error that names the place.
class Block {
  public:
    Block(const FileDescriptor& file, uint64_t begin, uint64_t size) : begin_(begin) {
        constexpr uint64_t kMost = uint64_t{64} << 20;  // attributes stand in object headers
        struct stat status {};
        const bool known = ::fstat(file.get(), &status) == 0;
        const uint64_t end = known ? static_cast<uint64_t>(status.st_size) : 0;
        if (begin > end || size > end - begin || size > kMost)
            fail("leads out of it, or it is cut short");
        bytes_.resize(size);
        const ssize_t got =
            ::pread(file.get(), bytes_.data(), bytes_.size(), static_cast<off_t>(begin));
        if (got != static_cast<ssize_t>(size)) fail("cannot be read");
    }

    uint64_t number(size_t bytes) {
        require(bytes);
        uint64_t value = 0;
        for (size_t i = 0; i < bytes; ++i) value |= uint64_t{bytes_[at_ + i]} << (8 * i);
        at_ += bytes;
        return value;
    }
    void skip(uint64_t bytes) {
        require(bytes);
        at_ += bytes;
    }
    bool has_signature(std::string_view signature) const {
        return left() >= signature.size() &&
               std::memcmp(&bytes_[at_], signature.data(), signature.size()) == 0;
    }
    void expect_signature(std::string_view signature) {
        if (!has_signature(signature)) fail(fmt::format("is no {}", signature));
        at_ += signature.size();
    }
    void expect(size_t bytes, std::initializer_list<uint64_t> known, const char* what) {
        const uint64_t value = number(bytes);
        if (std::find(known.begin(), known.end(), value) == known.end())
            fail(fmt::format("has {} {}", what, value));
    }
    uint64_t expect_within(size_t bytes, uint64_t least, uint64_t most, const char* what) {
        const uint64_t value = number(bytes);
        if (value < least || value > most) fail(fmt::format("has {} {}", what, value));
        return value;
    }
    uint64_t left() const { return bytes_.size() - at_; }
    /// The next bytes, as a block of their own.
    Block take(uint64_t bytes) {
        require(bytes);
        Block part(*this);
        part.bytes_.resize(at_ + bytes);
        at_ += bytes;
        return part;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(
            fmt::format("its structure is damaged: what stands at byte {} {}", begin_, what));
    }

  private:
    void require(uint64_t bytes) const {
        if (bytes > left()) fail("ends too early");
    }

    uint64_t begin_;
    size_t at_ = 0;
    std::vector<unsigned char> bytes_;
};

class Walk {
  public:
    explicit Walk(const FileDescriptor& file) : file_(file) {}

    void run() {
        check_superblock();
        while (!waiting_.empty()) {
            const uint64_t object = waiting_.back();
            waiting_.pop_back();
            check_object(object);
        }
    }

  private:
    void check_superblock() {
        struct stat status {};
        const bool known = ::fstat(file_.get(), &status) == 0;
        constexpr uint64_t kBytes = 48;
        constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
        const uint64_t size = known ? static_cast<uint64_t>(status.st_size) : 0;
        Block start(file_, 0, std::min(size, kBytes));
        if (!start.has_signature(kSignature)) throw Error("it is not an HDF5 file");
        start.skip(kSignature.size());
        if (start.number(1) != 3)
            throw Error("it is an HDF5 file of a format that logs and probes do not use");
        start.expect(1, {8}, "addresses of");
        start.expect(1, {8}, "lengths of");
        const bool growing = (start.number(1) & 4U) != 0;  // its end is written when it is closed
        start.expect(8, {0}, "the base address");
        const uint64_t extension = start.number(8), end = start.number(8);
        if (!growing && end > size) throw Error("it is cut short");
        visit(start.number(8));
        if (extension != kUndefined) visit(extension);
    }

    struct Chunk {
        uint64_t begin, bytes;
    };

    void visit(uint64_t object) {
        if (!seen_.insert(object).second) return;
        if (seen_.size() > kMostObjects) throw Error("it holds too many objects");
        waiting_.push_back(object);
    }

    void check_object(uint64_t address) {
        Block prefix(file_, address, 6);
        prefix.expect_signature("OHDR");
        prefix.expect(1, {2}, "the version");
        const uint64_t flags = prefix.number(1);
        const uint64_t before =
            6 + ((flags & 0x20U) != 0 ? 16 : 0) + ((flags & 0x10U) != 0 ? 4 : 0);
        const size_t width = size_t{1} << (flags & 3U);
        Block size(file_, address + before, width);
        chunks_.assign(1, {address + before + width, size.number(width)});
        for (size_t i = 0; i < chunks_.size(); ++i) {
            if (i > kMostChunks) throw Error("an object has too many parts");
            const Chunk chunk = chunks_[i];
            check_messages(chunk, (flags & 0x04U) != 0 ? 6 : 4);
        }
    }

    void check_messages(const Chunk& chunk, uint64_t header) {
        Block block(file_, chunk.begin, chunk.bytes);
        while (block.left() >= header) {  // fewer bytes are a gap
            const uint64_t type = block.number(1), size = block.number(2), flags = block.number(1);
            block.skip(header - 4);
            const uint64_t begin = chunk.begin + chunk.bytes - block.left();
            block.skip(size);
            const bool shared = (flags & 0x02U) != 0;  // stands elsewhere; the library's own never
            if (!shared) check_message(type, Block(file_, begin, size));
        }
    }

    void check_message(uint64_t type, Block message) {
        if (type == 0x01) check_dataspace(message);
        if (type == 0x03) check_datatype(message);
        if (type == 0x04) message.skip(message.number(4));
        if (type == 0x05) check_fill_value(message);
        if (type == 0x0C) check_attribute(message);
        if (type == 0x02) check_index_of_names(message, 8);
        if (type == 0x15) check_index_of_names(message, 2);
        if (type == 0x06) follow_link(message);
        if (type == 0x08) check_layout(message);
        if (type != 0x10) return;
        const uint64_t begin = message.number(8), bytes = message.number(8);
        constexpr uint64_t kFrame = 8;  // signature and checksum
        if (bytes < kFrame) message.fail(fmt::format("continues in {} bytes", bytes));
        Block(file_, begin, bytes).expect_signature("OCHK");
        chunks_.push_back({begin + 4, bytes - kFrame});
    }

    /// Returns how many values it has.
    static uint64_t check_dataspace(Block& block) {
        constexpr uint64_t kMostValues = uint64_t{1} << 60, kNull = 2;
        const uint64_t version = block.expect_within(1, 1, 2, "a space of the version");
        const uint64_t rank = block.expect_within(1, 0, 32, "the rank");
        const uint64_t flags = block.number(1);
        const uint64_t kind = block.number(1);  // of version 1 nothing
        if (version == 1) block.skip(4);
        uint64_t count = version == 2 && kind == kNull ? 0 : 1;
        for (uint64_t i = 0; i < rank; ++i) {
            const uint64_t size = block.number(8);
            if (size != 0 && count > kMostValues / size) block.fail("has too many values");
            count *= size;
        }
        if ((flags & 1U) != 0) block.skip(8 * rank);
        return count;
    }

    /// Returns the bytes of a value. Numbers, texts and lists of them are what logs and probes
    /// hold; of other types HDF5 reads names up to where they happen to end.
    static uint64_t check_datatype(Block& block) {
        const uint64_t kind = block.number(1) & 0x0FU;
        block.skip(3);
        const uint64_t bytes = block.number(4);
        switch (kind) {
            case 0:  // whole numbers
            case 4:  // bits
                block.skip(4);
                break;
            case 1:  // floating point
                block.skip(12);
                break;
            case 3:  // texts
                break;
            case 9:  // of a length of their own
                check_datatype(block);
                break;
            default:
                block.fail(fmt::format("has a type of the class {}", kind));
        }
        return bytes;
    }

    static void check_fill_value(Block& message) {
        const uint64_t version = message.expect_within(1, 1, 3, "the version");
        const uint64_t flags = version == 3 ? message.number(1) : 0;
        if (version < 3) message.skip(2);
        const bool defined = version == 3 ? (flags & 0x20U) != 0 : message.number(1) != 0;
        if (version == 1 || defined) message.skip(message.number(4));
    }

    /// HDF5 copies what name, type, space and value are said to take, wherever the message ends.
    static void check_attribute(Block& message) {
        const uint64_t version = message.expect_within(1, 1, 3, "the version");
        message.expect(1, {0}, "flags of an attribute");  // type or space elsewhere: never its own
        const auto padded = [&](uint64_t bytes) {
            return version == 1 ? (bytes + 7) / 8 * 8 : bytes;
        };
        const uint64_t name = message.expect_within(2, 1, 1 << 15, "a name of");
        const uint64_t type = message.number(2), space = message.number(2);
        if (version == 3) message.skip(1);
        message.skip(name - 1);
        message.expect(1, {0}, "a name that ends with");
        message.skip(padded(name) - name);
        Block type_part = message.take(padded(type)), space_part = message.take(padded(space));
        const uint64_t bytes = check_datatype(type_part), count = check_dataspace(space_part);
        if (bytes != 0 && count > message.left() / bytes) message.fail("ends before its value");
    }

    /// Link info and attribute info: names of a large group lie in a heap with an index.
    void check_index_of_names(Block& message, size_t counter_bytes) {
        message.expect(1, {0}, "the version");
        const uint64_t flags = message.number(1);
        if ((flags & 1U) != 0) message.skip(counter_bytes);
        const uint64_t heap = message.number(8), by_name = message.number(8);
        const uint64_t by_order = (flags & 2U) != 0 ? message.number(8) : kUndefined;
        if (heap == kUndefined && by_name == kUndefined && by_order == kUndefined) return;
        check_heap(heap);
        check_tree(by_name, {512});
        if (by_order != kUndefined) check_tree(by_order, {512});
    }

    void follow_link(Block& message) {
        message.expect(1, {1}, "the version");
        const uint64_t flags = message.number(1);
        const uint64_t kind = (flags & 8U) != 0 ? message.number(1) : 0;
        if ((flags & 4U) != 0) message.skip(8);
        if ((flags & 16U) != 0) message.skip(1);
        message.skip(message.number(size_t{1} << (flags & 3U)));
        if (kind == 0) visit(message.number(8));
    }

    void check_layout(Block& message) {
        const uint64_t version = message.number(1), kind = message.number(1);
        constexpr uint64_t kChunked = 2;
        if (kind != kChunked) return;
        if (version != 4) message.fail("has chunks of an older format");
        message.skip(1);
        const uint64_t rank = message.number(1);
        const uint64_t width = message.expect_within(1, 1, 8, "numbers of the sizes of chunks of");
        for (uint64_t i = 0; i < rank; ++i)  // HDF5 divides by them
            message.expect_within(width, 1, uint64_t{1} << 32, "the size of chunks of");
        const uint64_t index = message.number(1);
        if (index == 3) check_fixed_array(message);
        if (index == 4) check_extensible_array(message);
        if (index == 5) {
            message.skip(6);
            if (const uint64_t at = message.number(8); at != kUndefined) check_tree(at, {2048});
        }
    }

    void check_fixed_array(Block& message) {
        message.expect(1, {10}, "pages of the index");
        const uint64_t at = message.number(8);
        if (at == kUndefined) return;
        Block header(file_, at, 28);
        header.expect_signature("FAHD");
        header.expect(1, {0}, "the version");
        header.skip(1);
        header.expect_within(1, 8, 32, "entries of");
        header.expect(1, {10}, "pages of");
    }

    void check_extensible_array(Block& message) {
        check_growth(message, true);
        const uint64_t at = message.number(8);
        if (at == kUndefined) return;
        Block header(file_, at, 72);
        header.expect_signature("EAHD");
        header.expect(1, {0}, "the version");
        header.skip(1);
        header.expect_within(1, 8, 32, "entries of");
        check_growth(header, false);
    }

    /// How the array grows; message and header differ in the order.
    static void check_growth(Block& block, bool pointers_first) {
        block.expect(1, {32}, "bits of the number of entries");
        block.expect(1, {4}, "entries of the first block");
        block.expect(1, {uint64_t{pointers_first ? 4U : 16U}}, "the growth");
        block.expect(1, {uint64_t{pointers_first ? 16U : 4U}}, "the growth");
        block.expect(1, {10}, "pages of");
    }

    void check_tree(uint64_t at, std::initializer_list<uint64_t> node_bytes) {
        Block header(file_, at, 38);
        header.expect_signature("BTHD");
        header.expect(1, {0}, "the version");
        header.expect_within(1, 0, 11, "records of the kind");
        header.expect(4, node_bytes, "nodes of");
        header.expect_within(2, 1, 128, "records of");
        header.expect_within(2, 0, 16, "the depth");
        header.expect(1, {100}, "the fill");
        header.expect(1, {40}, "the fill");
    }

    void check_heap(uint64_t at) {
        Block header(file_, at, 146);
        header.expect_signature("FRHP");
        header.expect(1, {0}, "the version");
        header.expect_within(2, 1, 8, "names of");
        header.expect(2, {0}, "filters of");
        header.skip(1);
        header.expect_within(4, 1, 1 << 16, "objects of");
        header.skip(12 * 8);
        header.expect(2, {4}, "the width");
        header.expect(8, {512, 1024}, "blocks of");
        header.expect(8, {1 << 16}, "blocks of");
        header.expect(2, {32, 40}, "the size");
        header.expect_within(2, 0, 1, "rows of");
        header.skip(8);
        header.expect_within(2, 0, 64, "rows of");
    }

    const FileDescriptor& file_;
    std::set<uint64_t> seen_;
    std::vector<uint64_t> waiting_;
    std::vector<Chunk> chunks_;
};

}  // namespace

void require_sound_structure(const std::filesystem::path& path) {
    const FileDescriptor file = open_for_reading(path);
    constexpr int kAttempts = 3;  // a writer may be in the middle of a change
    for (int attempt = 1;; ++attempt) {
        try {
            return Walk(file).run();
        } catch (const Error&) {
            if (attempt == kAttempts) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
}

}  // namespace headroom::h5
