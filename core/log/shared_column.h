#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace headroom {

/// A column that grows at its end and is cheap to copy: values lie in chunks that copies share, and
/// whoever appends writes behind what any copy shows. So a reader can hand out a copy of a series
/// after every new row and pay for the rows, not for the series.
///
/// Values once in a column never change. Copies may be read by other threads while the original
/// grows, if each copy was handed over with the usual care (a mutex, a queue).
template <class T>
class SharedColumn {
    static constexpr size_t kChunkBits = 12;
    static constexpr size_t kChunk = size_t{1} << kChunkBits;

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
        return chunks_[i >> kChunkBits]->values[i & (kChunk - 1)];
    }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size_ - 1]; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size_}; }

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

    std::vector<std::shared_ptr<Chunk>> chunks_;
    size_t size_ = 0;
};

}  // namespace headroom
