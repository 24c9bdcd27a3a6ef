#include "tests/cuda/emulation/shared_memory.h"

#include <fmt/format.h>

#include "tests/cuda/emulation/simt.h"

namespace headroom::cuda::simt {
namespace {

[[noreturn]] void race(const char* what, size_t note, int other, int self) {
    throw SimtError(fmt::format("shared byte {}: {} by threads {} and {} with no barrier between",
                                2 * note, what, other, self));
}

}  // namespace

void SharedMemory::reset(size_t bytes) {
    bytes_.assign(bytes, std::byte{0xff});
    notes_.assign((bytes + 1) / 2, Note{});
}

SharedMemory::Span SharedMemory::notes_of(uint32_t offset, size_t bytes) const {
    if (bytes < 2 || offset % bytes != 0)
        throw SimtError(fmt::format("shared byte {} is not aligned to {} bytes", offset, bytes));
    if (offset + bytes > bytes_.size())
        throw SimtError(fmt::format("shared byte {} of {}", offset + bytes - 1, bytes_.size()));
    return {offset / 2, (offset + bytes) / 2};
}

void SharedMemory::note_read(Note& note, size_t at, const Moment& now) const {
    const int self = now.thread;
    if (note.under_way)
        throw SimtError(fmt::format("shared byte {} is read while a copy is under way", 2 * at));
    if (!note.written) throw SimtError(fmt::format("shared byte {} was never written", 2 * at));
    const bool ordered =
        note.writer / 32 == self / 32 && note.write_warp_barrier < now.warp_barrier;
    if (note.write_barrier == now.barrier && note.writer != self && !ordered)
        race("written and read", at, note.writer, self);
    if (note.read_barrier != now.barrier) {
        note.many_readers = note.many_warps = false;
    } else {
        note.many_warps = note.many_warps || note.reader / 32 != self / 32;
        note.many_readers = note.many_readers || note.reader != self;
    }
    note.read_barrier = now.barrier;
    note.read_warp_barrier = now.warp_barrier;
    note.reader = self;
}

void SharedMemory::note_write(Note& note, size_t at, const Moment& now) const {
    const int self = now.thread;
    if (note.under_way)
        throw SimtError(fmt::format("shared byte {} is written while a copy is under way", 2 * at));
    const auto ordered = [&](int other, int warp_barrier) {
        return other / 32 == self / 32 && warp_barrier < now.warp_barrier;
    };
    if (note.write_barrier == now.barrier && note.writer != self &&
        !ordered(note.writer, note.write_warp_barrier))
        race("written twice", at, note.writer, self);
    const bool others = note.reader != self || note.many_readers || note.many_warps;
    if (note.read_barrier == now.barrier && others &&
        (note.many_warps || !ordered(note.reader, note.read_warp_barrier)))
        race("read and written", at, note.reader, self);
    note.written = true;
    note.write_barrier = now.barrier;
    note.write_warp_barrier = now.warp_barrier;
    note.writer = self;
}

void SharedMemory::read(void* to, uint32_t from, size_t bytes, const Moment& now) {
    const Span span = notes_of(from, bytes);
    for (size_t i = span.first; i < span.last; ++i) note_read(notes_[i], i, now);
    std::memcpy(to, bytes_.data() + from, bytes);
}

void SharedMemory::write(uint32_t to, const void* from, size_t bytes, const Moment& now) {
    const Span span = notes_of(to, bytes);
    for (size_t i = span.first; i < span.last; ++i) note_write(notes_[i], i, now);
    std::memcpy(bytes_.data() + to, from, bytes);
}

void SharedMemory::begin_copy(uint32_t to, size_t bytes, const Moment& now) {
    const Span span = notes_of(to, bytes);
    for (size_t i = span.first; i < span.last; ++i) {
        note_write(notes_[i], i, now);
        notes_[i].under_way = true;
    }
    std::memset(bytes_.data() + to, 0xff, bytes);
}

void SharedMemory::land_copy(uint32_t to, const void* data, size_t bytes, const Moment& now) {
    const Span span = notes_of(to, bytes);
    for (size_t i = span.first; i < span.last; ++i) {
        notes_[i].under_way = false;
        note_write(notes_[i], i, now);
    }
    std::memcpy(bytes_.data() + to, data, bytes);
}

}  // namespace headroom::cuda::simt
