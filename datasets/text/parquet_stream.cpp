#include "datasets/text/parquet_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/module_file.h"
#include "core/base/open_file.h"
#include "datasets/text/parquet_rows.h"

namespace headroom {
namespace {

std::filesystem::path& module_path() {
    static std::filesystem::path path;
    return path;
}

struct ParquetModule {
    ModuleFile file{module_path(),
                    {.absent = "this build does not read Parquet",
                     .build_it = "install Apache Arrow's C++ libraries and build again, or make "
                                 "JSON Lines of it",
                     .install_it = "install Apache Arrow's C++ libraries"}};
    decltype(&headroom_parquet_open) open =
        file.function<HeadroomParquetRows*(const char*, std::string*)>("headroom_parquet_open");
    decltype(&headroom_parquet_next) next =
        file.function<void(HeadroomParquetRows*, std::string*, std::string*)>(
            "headroom_parquet_next");
    decltype(&headroom_parquet_close) close =
        file.function<void(HeadroomParquetRows*)>("headroom_parquet_close");
};

const ParquetModule& parquet_module() {
    static const ParquetModule module;
    return module;
}

class ParquetStream : public PackedStream {
  public:
    explicit ParquetStream(std::string path)
        : path_(std::move(path)), rows_(nullptr, parquet_module().close) {
        rewind();
    }

    size_t read(std::span<char> out) override {
        while (at_ == lines_.size()) {
            lines_.clear();
            at_ = 0;
            std::string error;
            parquet_module().next(rows_.get(), &lines_, &error);
            refuse_if(error);
            if (lines_.empty()) return 0;
        }
        const size_t count = std::min(out.size(), lines_.size() - at_);
        std::memcpy(out.data(), lines_.data() + at_, count);
        at_ += count;
        offset_ += static_cast<int64_t>(count);
        return count;
    }

    void seek(int64_t offset) override {
        if (offset < offset_) rewind();
        std::vector<char> skipped(size_t{1} << 20);
        while (offset_ < offset) {
            const auto most = static_cast<size_t>(
                std::min<int64_t>(offset - offset_, static_cast<int64_t>(skipped.size())));
            if (read(std::span(skipped).first(most)) == 0)
                throw UserError(fmt::format("{} has no row at byte {}", path_, offset),
                                "it is not the file that was begun with");
        }
    }

  private:
    void rewind() {
        std::string error;
        rows_.reset(parquet_module().open(path_.c_str(), &error));
        refuse_if(error);
        lines_.clear();
        at_ = 0;
        offset_ = 0;
    }

    void refuse_if(const std::string& error) const {
        if (!error.empty())
            throw UserError(fmt::format("{} cannot be read as Parquet: {}", path_, error),
                            "fetch it again, or make JSON Lines of the columns that are wanted");
    }

    std::string path_;
    std::unique_ptr<HeadroomParquetRows, decltype(&headroom_parquet_close)> rows_;
    std::string lines_;
    size_t at_ = 0;       ///< in lines_
    int64_t offset_ = 0;  ///< of all lines
};

}  // namespace

void set_parquet_module(std::filesystem::path file) {
    module_path() = std::move(file);
}

bool has_parquet_module() {
    std::error_code ignored;
    return std::filesystem::exists(module_path(), ignored);
}

bool is_parquet(const std::string& path) {
    constexpr std::array<char, 4> kMagic{'P', 'A', 'R', '1'};
    std::array<char, 4> first{};
    const FileDescriptor file = open_for_reading(path);
    return ::pread(file.get(), first.data(), first.size(), 0) == 4 && first == kMagic;
}

std::unique_ptr<PackedStream> open_parquet(const std::string& path) {
    return std::make_unique<ParquetStream>(path);
}

}  // namespace headroom
