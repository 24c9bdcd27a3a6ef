#include "tests/cuda/emulation/simt.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/cuda/emulation/fiber.h"
#include "tests/cuda/emulation/shared_memory.h"
#include "tests/cuda/emulation/warp_operations.h"

namespace headroom::cuda::simt {
namespace {

constexpr uint32_t kAllLanes = 0xffffffffu;

/// What the lanes of a warp do together.
enum class Together { kNothing, kSyncWarp, kShuffle, kLdmatrix, kMma };

struct Warp {
    uint32_t ready = 0, arrived = 0, ended = 0;
    int barrier = 0;  ///< how many barriers of the warp are behind it
    std::array<Together, 32> doing{};
    std::array<int, 32> detail{};  ///< the mask of a shuffle, transposed or not
    std::array<uint64_t, 32> bits{}, shuffled{};
    std::array<MatrixRow, 32> rows{};
    WarpRegisters<uint32_t, 4> a{}, loaded{};
    WarpRegisters<uint32_t, 2> b{};
    WarpRegisters<float, 4> c{}, d{};
};

struct Copy {
    uint32_t to;
    const void* from;
    size_t bytes, valid;
};

/// The block that runs, and its threads.
class Machine {
  public:
    explicit Machine(int threads)
        : threads_(threads), warps_(static_cast<size_t>(threads / 32)), copies_(fibers_needed()) {
        arguments_.resize(fibers_needed());
        for (size_t n = 0; n < fibers_needed(); ++n) {
            arguments_[n] = {this, static_cast<int>(n)};
            fibers_.emplace_back(thread_main, &arguments_[n]);
        }
        order_.resize(warps_.size());
        std::iota(order_.begin(), order_.end(), size_t{0});
    }
    int threads() const { return threads_; }
    int thread() const { return current_; }
    const Index& block() const { return block_; }

    void run(const Index& block, size_t shared_bytes, const std::function<void()>& body,
             uint64_t seed) {
        block_ = block;
        body_ = &body;
        random_.seed(seed);
        shared_.reset(shared_bytes);
        at_barrier_ = ended_ = barrier_ = 0;
        for (auto& groups : copies_) groups.assign(1, {});
        for (Warp& warp : warps_) warp.ready = kAllLanes, warp.arrived = warp.ended = 0;
        reorder();
        current_ = next();
        Fiber::go(host_, fibers_[static_cast<size_t>(current_)]);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    void sync() {
        if (++at_barrier_ < threads_) return leave();
        at_barrier_ = 0;
        ++barrier_;
        for (Warp& warp : warps_) warp.ready = kAllLanes;
        warp().ready &= ~bit();
        reorder();
    }

    /// Until all lanes are there; the last one to come does the work.
    template <class Work>
    void together(Together what, int detail, Work work) {
        Warp& w = warp();
        w.doing[lane()] = what;
        w.detail[lane()] = detail;
        w.arrived |= bit();
        if (w.arrived != kAllLanes) return leave();
        for (size_t other = 0; other < 32; ++other)
            if (w.doing[other] != what || w.detail[other] != detail)
                throw SimtError("the lanes of a warp do different things together");
        work(w);
        w.arrived = 0;
        w.ready = kAllLanes & ~bit();
    }

    Warp& warp() { return warps_[static_cast<size_t>(current_ / 32)]; }
    size_t lane() const { return static_cast<size_t>(current_ % 32); }
    Moment now() { return {current_, barrier_, warp().barrier}; }
    SharedMemory& shared() { return shared_; }
    /// Groups of copies of the running thread, the last of them not yet committed.
    std::vector<std::vector<Copy>>& copies() { return copies_[static_cast<size_t>(current_)]; }

  private:
    struct Argument {
        Machine* machine;
        int thread;
    };

    size_t fibers_needed() const { return static_cast<size_t>(threads_); }
    uint32_t bit() const { return 1u << (current_ % 32); }

    static void thread_main(void* argument) {
        Machine& machine = *static_cast<Argument*>(argument)->machine;
        while (true) {
            try {
                (*machine.body_)();
            } catch (...) {
                machine.error_ = std::current_exception();
            }
            machine.end_thread();
        }
    }

    void end_thread() {
        warp().ended |= bit();
        ++ended_;
        leave();
    }

    /// Runs other threads until this one is ready again.
    void leave() {
        Fiber& self = fibers_[static_cast<size_t>(current_)];
        const int to = error_ ? -1 : next();
        if (to < 0) {
            if (!error_ && ended_ < threads_) error_ = std::make_exception_ptr(stuck());
            Fiber::go(self, host_);
        } else if (to != current_) {
            current_ = to;
            Fiber::go(self, fibers_[static_cast<size_t>(to)]);
        }
    }

    /// One of the threads that can go on, of the first warp in today's order; -1: none can.
    int next() {
        for (const size_t w : order_) {
            uint32_t& ready = warps_[w].ready;
            if (ready == 0) continue;
            const int lane = (std::countr_zero(std::rotr(ready, first_lane_)) + first_lane_) % 32;
            ready &= ~(1u << lane);
            return static_cast<int>(w) * 32 + lane;
        }
        return -1;
    }
    void reorder() {
        std::shuffle(order_.begin(), order_.end(), random_);
        first_lane_ = static_cast<int>(random_() % 32);
    }

    SimtError stuck() const {
        int in_warp = 0;
        for (const Warp& warp : warps_) in_warp += std::popcount(warp.arrived);
        return SimtError(
            fmt::format("{} of {} threads wait at a barrier and {} for lanes of their warp, while "
                        "{} have ended",
                        at_barrier_, threads_, in_warp, ended_));
    }

    int threads_;
    std::vector<Warp> warps_;
    std::vector<std::vector<std::vector<Copy>>> copies_;
    std::vector<Argument> arguments_;
    Fiber host_;
    std::vector<Fiber> fibers_;
    std::vector<size_t> order_;  ///< warps, the one that goes first at the front
    int first_lane_ = 0;
    std::mt19937_64 random_;
    SharedMemory shared_;
    const std::function<void()>* body_ = nullptr;
    Index block_{};
    int current_ = 0, at_barrier_ = 0, ended_ = 0, barrier_ = 0;
    std::exception_ptr error_;
};

thread_local Machine* running = nullptr;

struct Running {
    explicit Running(Machine& machine) { running = &machine; }
    ~Running() { running = nullptr; }
};

Machine& machine() {
    if (running == nullptr) throw SimtError("a block's operation outside a block");
    return *running;
}

/// Machines are kept, since making stacks costs more than running a small block.
std::unique_ptr<Machine> take_machine(std::vector<std::unique_ptr<Machine>>& kept, int threads) {
    const auto same = [&](const auto& machine) { return machine->threads() == threads; };
    const auto found = std::find_if(kept.begin(), kept.end(), same);
    if (found == kept.end()) return std::make_unique<Machine>(threads);
    std::unique_ptr<Machine> machine = std::move(*found);
    kept.erase(found);
    return machine;
}

}  // namespace

Settings& settings() {
    static Settings now;
    return now;
}

void run_blocks(Index grid, int threads, size_t shared_bytes, const std::function<void()>& thread) {
    static thread_local std::vector<std::unique_ptr<Machine>> kept;
    if (threads < 32 || threads > 1024 || threads % 32 != 0)
        throw SimtError(fmt::format("a block of {} threads", threads));
    if (shared_bytes > settings().shared_limit)
        throw SimtError(fmt::format("a block with {} bytes of shared memory", shared_bytes));
    if (grid[1] > 65535 || grid[2] > 65535) throw SimtError("a grid of more than 65535 rows");
    std::vector<Index> blocks;
    for (int z = 0; z < grid[2]; ++z)
        for (int y = 0; y < grid[1]; ++y)
            for (int x = 0; x < grid[0]; ++x) blocks.push_back({x, y, z});
    std::mt19937_64 random(settings().seed);
    std::shuffle(blocks.begin(), blocks.end(), random);
    std::unique_ptr<Machine> machine = take_machine(kept, threads);
    const Running guard(*machine);
    for (const Index& block : blocks) {
        try {
            machine->run(block, shared_bytes, thread, random());
        } catch (const SimtError& error) {
            // Its threads stand in the middle of the kernel: the machine is not kept.
            throw SimtError(fmt::format("block ({}, {}, {}), thread {}: {}", block[0], block[1],
                                        block[2], machine->thread(), error.what()));
        }
    }
    kept.push_back(std::move(machine));
}

Index block() {
    return machine().block();
}
int thread() {
    return machine().thread();
}
int threads() {
    return machine().threads();
}

void sync() {
    machine().sync();
}

void sync_warp() {
    machine().together(Together::kSyncWarp, 0, [](Warp& warp) { ++warp.barrier; });
}

uint64_t shuffle_xor_bits(uint64_t bits, int mask) {
    Machine& m = machine();
    m.warp().bits[m.lane()] = bits;
    m.together(Together::kShuffle, mask, [&](Warp& warp) {
        for (size_t n = 0; n < 32; ++n) warp.shuffled[n] = warp.bits[n ^ static_cast<size_t>(mask)];
    });
    return m.warp().shuffled[m.lane()];
}

void load_shared(void* to, uint32_t from, size_t bytes) {
    machine().shared().read(to, from, bytes, machine().now());
}

void store_shared(uint32_t to, const void* from, size_t bytes) {
    machine().shared().write(to, from, bytes, machine().now());
}

std::byte* unwatched_shared_memory() {
    return machine().shared().data();
}

void copy_async(uint32_t to, const void* from, int bytes, int valid) {
    if (bytes != 4 && bytes != 8 && bytes != 16)
        throw SimtError(fmt::format("a copy of {} bytes", bytes));
    if (valid < 0 || valid > bytes) throw SimtError(fmt::format("{} bytes of {}", valid, bytes));
    const auto size = static_cast<size_t>(bytes);
    check_aligned(from, size);
    machine().shared().begin_copy(to, size, machine().now());
    machine().copies().back().push_back({to, from, size, static_cast<size_t>(valid)});
}

void commit_copies() {
    machine().copies().emplace_back();
}

void wait_copies(int groups) {
    auto& all = machine().copies();
    const std::ptrdiff_t landing = std::ssize(all) - 1 - groups;
    if (landing <= 0) return;
    for (std::ptrdiff_t g = 0; g < landing; ++g)
        for (const Copy& copy : all[static_cast<size_t>(g)]) {
            std::array<std::byte, 16> data{};
            if (copy.valid > 0) std::memcpy(data.data(), copy.from, copy.valid);
            machine().shared().land_copy(copy.to, data.data(), copy.bytes, machine().now());
        }
    all.erase(all.begin(), all.begin() + landing);
}

std::array<uint32_t, 4> ldmatrix(uint32_t address, bool transposed) {
    Machine& m = machine();
    MatrixRow row;
    m.shared().read(row.data(), address, sizeof(row), m.now());
    m.warp().rows[m.lane()] = row;
    m.together(Together::kLdmatrix, transposed,
               [&](Warp& warp) { warp.loaded = ldmatrix_x4(warp.rows, transposed); });
    return m.warp().loaded[m.lane()];
}

std::array<float, 4> mma(const std::array<uint32_t, 4>& a, const std::array<uint32_t, 2>& b,
                         const std::array<float, 4>& c) {
    Machine& m = machine();
    m.warp().a[m.lane()] = a;
    m.warp().b[m.lane()] = b;
    m.warp().c[m.lane()] = c;
    m.together(Together::kMma, 0,
               [](Warp& warp) { warp.d = mma_m16n8k16(warp.a, warp.b, warp.c); });
    return m.warp().d[m.lane()];
}

void check_aligned(const void* address, size_t bytes) {
    if (reinterpret_cast<uintptr_t>(address) % bytes != 0)
        throw SimtError(fmt::format("an address that is not aligned to {} bytes", bytes));
}

}  // namespace headroom::cuda::simt
