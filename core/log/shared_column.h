#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace headroom {

/// Where the rows of a column lie that are not kept in memory, such as a log. Any thread may read.
template <class T>
class RowSource {
  public:
    RowSource() : id_(++made()) {}
    RowSource(const RowSource&) = delete;
    RowSource& operator=(const RowSource&) = delete;
    virtual ~RowSource() = default;

    /// Rows [begin, begin + out.size()); a UserError if they cannot be read any more.
    virtual void read(size_t begin, std::span<T> out) const = 0;
    /// Different for every source of this process.
    uint64_t id() const { return id_; }

  private:
    static std::atomic<uint64_t>& made() {
        static std::atomic<uint64_t> count{0};
        return count;
    }
    uint64_t id_;
};

/// A column that grows at its end and is cheap to copy: values lie in chunks that copies share, and
/// whoever appends writes behind what any copy shows. So a reader can hand out a copy of a series
/// after every new row and pay for the rows, not for the series.
///
/// Values once in a column never change. Copies may be read by other threads while the original
/// grows, if each copy was handed over with the usual care (a mutex, a queue).
///
/// The first rows may lie in a RowSource instead of in memory: then reading them, also through an
/// iterator, may throw what the source throws, waits for it, and gives a reference that holds until
/// this thread has read eight other chunks of such rows. Not for the thread that draws.
template <class T>
class SharedColumn {
  public:
    static constexpr size_t kChunkBits = 12;
    static constexpr size_t kChunk = size_t{1} << kChunkBits;

  private:
    struct Chunk {
        std::atomic<size_t> used{0};  ///< values that belong to some column
        std::array<T, kChunk> values;
    };

  public:
    using value_type = T;

    class const_iterator {
      public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        const_iterator() = default;
        const_iterator(const SharedColumn* column, size_t at) : column_(column), at_(at) {}
        reference operator*() const { return (*column_)[at_]; }
        pointer operator->() const { return &(*column_)[at_]; }
        reference operator[](difference_type n) const { return *(*this + n); }
        const_iterator& operator+=(difference_type n) {
            at_ = static_cast<size_t>(static_cast<difference_type>(at_) + n);
            return *this;
        }
        const_iterator& operator-=(difference_type n) { return *this += -n; }
        const_iterator& operator++() { return *this += 1; }
        const_iterator& operator--() { return *this -= 1; }
        const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
        const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
        const_iterator operator+(difference_type n) const { return const_iterator(*this) += n; }
        const_iterator operator-(difference_type n) const { return const_iterator(*this) -= n; }
        friend const_iterator operator+(difference_type n, const_iterator it) { return it + n; }
        difference_type operator-(const const_iterator& other) const {
            return static_cast<difference_type>(at_) - static_cast<difference_type>(other.at_);
        }
        bool operator==(const const_iterator& other) const { return at_ == other.at_; }
        auto operator<=>(const const_iterator& other) const { return at_ <=> other.at_; }

      private:
        const SharedColumn* column_ = nullptr;
        size_t at_ = 0;
    };

    SharedColumn() = default;
    SharedColumn(std::initializer_list<T> values) { append({values.begin(), values.size()}); }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T& operator[](size_t i) const {
        const Chunk* chunk = chunks_[i >> kChunkBits].get();
        return chunk ? chunk->values[i & (kChunk - 1)] : stored(i);
    }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size_ - 1]; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size_}; }

    /// Makes `chunks` whole chunks of `source` the first rows. REQUIRES: empty().
    void begin_with(std::shared_ptr<const RowSource<T>> source, size_t chunks) {
        source_ = std::move(source);
        chunks_.resize(chunks);
        size_ = chunks << kChunkBits;
    }
    /// Rows that are not in memory.
    size_t stored_rows() const {
        size_t chunks = 0;
        while (chunks < chunks_.size() && !chunks_[chunks]) ++chunks;
        return std::min(chunks << kChunkBits, size_);
    }

    void push_back(T value) { append({&value, 1}); }
    void append(std::span<const T> values) {
        while (!values.empty()) {
            const size_t at = size_ & (kChunk - 1);
            const size_t count = std::min(values.size(), kChunk - at);
            std::copy_n(values.begin(), count, claim(at, count));
            size_ += count;
            values = values.subspan(count);
        }
    }
    /// Drops what is beyond `size`, or appends zeros up to it.
    void resize(size_t size) {
        if (size > size_) {
            append(std::vector<T>(size - size_));
        } else {
            size_ = size;
            chunks_.resize((size + kChunk - 1) >> kChunkBits);
        }
    }
    void clear() { resize(0); }
    /// Copies the values from `begin` on: faster than one by one where they are not in memory.
    void read(size_t begin, std::span<T> out) const {
        const size_t stored = std::max(stored_rows(), begin) - begin;
        const size_t ahead = std::min(stored, out.size());
        if (ahead > 0) source_->read(begin, out.first(ahead));
        for (size_t done = ahead; done < out.size();) {
            const size_t at = (begin + done) & (kChunk - 1);
            const size_t count = std::min(out.size() - done, kChunk - at);
            const Chunk& chunk = *chunks_[(begin + done) >> kChunkBits];
            std::copy_n(chunk.values.begin() + at, count, out.begin() + done);
            done += count;
        }
    }
    /// All values in one piece.
    std::vector<T> to_vector() const { return {begin(), end()}; }

    bool operator==(const SharedColumn& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }
    bool operator==(const std::vector<T>& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

  private:
    /// Room for `count` more values from place `at` of the last chunk on, this column's alone.
    T* claim(size_t at, size_t count) {
        if (at == 0) {
            chunks_.push_back(std::make_shared<Chunk>());
        } else if (!chunks_.back()) {  // it was cut within what is stored
            auto own = std::make_shared<Chunk>();
            source_->read((chunks_.size() - 1) << kChunkBits, {own->values.data(), at});
            chunks_.back() = std::move(own);
        } else if (size_t free = at;
                   !chunks_.back()->used.compare_exchange_strong(free, at + count)) {
            // A copy went on from here in another way, or this column was cut: part ways.
            auto own = std::make_shared<Chunk>();
            std::copy_n(chunks_.back()->values.begin(), at, own->values.begin());
            chunks_.back() = std::move(own);
        }
        chunks_.back()->used = at + count;
        return chunks_.back()->values.data() + at;
    }

    /// The chunks that this thread read from sources last.
    struct ReadChunks {
        static constexpr size_t kKept = 9;
        struct Entry {
            uint64_t source = 0;  ///< 0: none
            size_t chunk = 0;
            std::unique_ptr<std::array<T, kChunk>> values;
        };
        std::array<Entry, kKept> entries;
        size_t next = 0, latest = 0;
    };

    const T& stored(size_t i) const {
        static thread_local ReadChunks read;
        const size_t chunk = i >> kChunkBits, at = i & (kChunk - 1);
        const auto holds = [&](const typename ReadChunks::Entry& entry) {
            return entry.source == source_->id() && entry.chunk == chunk;
        };
        if (!holds(read.entries[read.latest])) {
            const auto found = std::find_if(read.entries.begin(), read.entries.end(), holds);
            read.latest = found == read.entries.end()
                              ? read_into(read, chunk)
                              : static_cast<size_t>(found - read.entries.begin());
        }
        return (*read.entries[read.latest].values)[at];
    }
    size_t read_into(ReadChunks& read, size_t chunk) const {
        const size_t slot = std::exchange(read.next, (read.next + 1) % ReadChunks::kKept);
        typename ReadChunks::Entry& entry = read.entries[slot];
        entry.source = 0;
        if (!entry.values) entry.values = std::make_unique<std::array<T, kChunk>>();
        source_->read(chunk << kChunkBits, *entry.values);
        entry.source = source_->id();
        entry.chunk = chunk;
        return slot;
    }

    std::vector<std::shared_ptr<Chunk>> chunks_;  ///< null: in the source
    std::shared_ptr<const RowSource<T>> source_;
    size_t size_ = 0;
};

}  // namespace headroom
