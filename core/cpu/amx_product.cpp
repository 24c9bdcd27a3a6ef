#include "core/cpu/amx_product.h"

#include <algorithm>
#include <new>
#include <type_traits>

#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/cpu/amx_pack.h"
#include "core/cpu/amx_parts.h"
#include "core/cpu/amx_store.h"
#include "core/cpu/page_memory.h"
#include "core/cpu/parallel.h"
#include "core/cpu/store_each.h"

// A left factor of whole squares of bfloat16 is read where it lies, unless it is transposed, and so
// is a right one in panels (core/cpu/weight_panels.h); all others are packed (core/cpu/amx_pack.h).
// A task multiplies a part of the left panels and a block of right ones, which stays in the
// second-level cache while the left ones come past. A right factor that few parts of left panels
// meet is packed block by block by the tasks themselves, and never leaves that cache, and neither
// do both factors of a weight's gradient in bfloat16 (OwnFactorsProduct).

namespace headroom {

AmxProduct::AmxProduct() = default;
AmxProduct::~AmxProduct() = default;

bool AmxProduct::built() {
    return kAmxBuilt;
}
bool AmxProduct::usable() {
    return built() && may_use_amx();
}

bool AmxProduct::worth_it(const GemmShape& s) {
    // Each number of the factors is packed, and takes the longer the fewer numbers it meets.
    constexpr double kFewest = 96;
    const auto of = [](int64_t count) { return 1 / static_cast<double>(count); };
    return usable() && of(s.m) + of(s.n) + of(s.k) <= 1 / kFewest;
}

std::byte* AmxProduct::Space::bytes_at_least(size_t bytes) {
    if (bytes_ < bytes) {
        memory_.reset();
        bytes_ = 0;
        memory_ = std::make_unique<PageMemory>(bytes);
        if (memory_->data() == nullptr) throw std::bad_alloc();
        bytes_ = bytes;
    }
    return memory_ ? memory_->data() : nullptr;
}

#if HEADROOM_AMX

namespace {

constexpr int64_t kPackedNumbers = 8 << 20;  ///< of a factor, at most
constexpr int64_t kMostRows = 2048;          ///< of a packed left factor
constexpr int64_t kMostDepth = 4096;         ///< of either
constexpr int64_t kBlockDepth = 1536;        ///< of a block of right panels
constexpr int64_t kBlockSquares = 384;       ///< of a block: 768 KiB of the second-level cache
constexpr int64_t kMostPanels = 16, kFewestPanels = 4;  ///< of a block
constexpr int64_t kMostPart = 16, kFewestPart = 4;      ///< left panels of a part
constexpr int64_t kMostPackings = 2;  ///< of a right factor, by tasks of different parts
constexpr int64_t kOwnPanels = 12, kOwnDepth = 8;  ///< of factors that a task packs itself
constexpr int64_t kKeptDepth = 24;  ///< of one that stays packed: at most 576 KiB of that cache
constexpr int64_t kTasksPerThread = 3, kTasksThatPack = 2;
constexpr int64_t kManySums = 1 << 17;     ///< that no cache would keep for long
constexpr int64_t kFewestTerms = 1 << 21;  ///< that are worth waking a thread for

int64_t ceil_div(int64_t count, int64_t by) {
    return (count + by - 1) / by;
}

/// So many of `count` at a time that they are at most `most`, and about as many each time.
int64_t even_part(int64_t count, int64_t most) {
    return count == 0 ? most : ceil_div(count, ceil_div(count, most));
}

/// How a product of packed factors is cut into tasks, in squares.
struct Cut {
    int64_t rows, columns, depth;  ///< of the whole
    int64_t block_depth, block, part;
    bool alone;

    /// `packs_right`: tasks pack their blocks of the right factor themselves.
    Cut(const GemmShape& s, int64_t parts_of_number, bool packs_right)
        : rows(squares(s.m)), columns(squares(s.n)), depth(std::max<int64_t>(squares(s.k), 1)) {
        block_depth = ceil_div(depth, ceil_div(parts_of_number * depth * kSide, kBlockDepth));
        block =
            std::clamp(kBlockSquares / (parts_of_number * block_depth), kFewestPanels, kMostPanels);
        part = kMostPart;
        alone = s.m * s.n * s.k < kFewestTerms;
        int64_t enough = alone ? 1 : kTasksPerThread * cpu_threads();
        if (packs_right && parts_of_number == 1) {  // each part once more: rather fewer tasks
            enough = std::min(enough, kTasksThatPack * cpu_threads());
            while (block > kFewestPanels && tasks() < enough) --block;
        }
        while (part > kFewestPart && tasks() < enough) part /= 2;
        while (block > kFewestPanels && tasks() < enough) block /= 2;
        block = ceil_div(columns, blocks());
        part = ceil_div(rows, parts());
    }
    int64_t blocks() const { return ceil_div(columns, block); }
    int64_t parts() const { return ceil_div(rows, part); }
    int64_t tasks() const { return blocks() * parts(); }
};

/// A left factor of whole squares as tiles read it: how far apart, in numbers, the rows of a square
/// lie, the squares of a panel, and the panels.
struct LeftPanels {
    const bf16* data;
    int64_t row, square, panel;
};

template <class E>
bool lies_in_squares(const GemmShape& s) {
    return kParts<E> == 1 && !s.a_transposed && s.m % kSide == 0 && s.k % kSide == 0 && s.k > 0;
}
template <class E>
LeftPanels left_as_it_lies(const GemmShape& s, const E* a) {
    return {reinterpret_cast<const bf16*>(a), s.lda, kSide, kSide * s.lda};
}
template <class E>
LeftPanels packed_left(const GemmShape& s, const E* a, bool alone, bf16* to) {
    pack_left_factor(s, a, alone, to);
    return {to, kSide, kPackedSquare<E>, std::max<int64_t>(squares(s.k), 1) * kPackedSquare<E>};
}

/// A packed right factor; its panels may be deeper than what is multiplied.
struct RightPanels {
    const bf16* data;
    int64_t stride;  ///< numbers from one panel to the next
};

/// Where the right factor goes on at depth `at`, a multiple of kSide.
int64_t offset_of_depth(const GemmShape& s, int64_t at) {
    if (s.b_panels) return s.b_transposed ? at / kPanelColumns * s.ldb : panel_numbers(at);
    return s.b_transposed ? at : at * s.ldb;
}

/// A product of packed factors of E.
template <class E, class C>
class PackedProduct {
  public:
    PackedProduct(const GemmShape& s, LeftPanels left, RightPanels right, C* c)
        : PackedProduct(s, left, c, false) {
        right_ = right;
    }
    /// The right factor as it is stored.
    PackedProduct(const GemmShape& s, LeftPanels left, const E* b, C* c)
        : PackedProduct(s, left, c, true) {
        stored_ = b;
    }

    /// Floats that each thread needs: C does not hold sums of a part of the depth.
    int64_t kept_sums() const { return keeps_sums_ ? cut_.part * cut_.block * kSquare : 0; }
    /// And numbers: the right factor is not packed.
    int64_t packed_block() const {
        return stored_ == nullptr ? 0 : cut_.block * cut_.block_depth * kPackedSquare<E>;
    }

    void run(float* sums, bf16* blocks) const {
        const auto task = [&](int64_t n, int thread) {
            run_task(n / cut_.parts(), n % cut_.parts(), sums + thread * kept_sums(),
                     blocks + thread * packed_block());
        };
        if (cut_.alone)
            for (int64_t n = 0; n < cut_.tasks(); ++n) task(n, 0);
        else
            parallel_tasks(cut_.tasks(), task);
    }

  private:
    PackedProduct(const GemmShape& s, LeftPanels left, C* c, bool packs_right)
        : s_(s), cut_(s, kParts<E>, packs_right), left_(left), c_(c) {
        const bool in_one_go = cut_.block_depth >= cut_.depth;
        past_cache_ =
            s.read_late && !s.accumulate && s.m * s.n >= kManySums && (kAddsInTiles || in_one_go);
        keeps_sums_ = !in_one_go && (past_cache_ || !std::is_same_v<C, float>);
        const bool whole = s.m % kSide == 0 && s.n % kSide == 0;
        const bool leaves = past_cache_ || std::is_same_v<C, bf16>;
        leaves_late_ = kAddsInTiles && in_one_go && !s.accumulate && whole && leaves &&
                       LeavingSquare<C>::can_leave(c, s.ldc);
    }

    const bf16* left_square(int64_t panel, int64_t l) const {
        return left_.data + panel * left_.panel + l * left_.square;
    }
    /// Panels [first, end) from square l of the depth on, over block_depth squares or what is left.
    RightPanels right_block(int64_t first, int64_t end, int64_t l, bf16* space) const {
        if (stored_ == nullptr)
            return {right_.data + first * right_.stride + l * kPackedSquare<E>, right_.stride};
        const int64_t depth = std::min(cut_.block_depth, cut_.depth - l);
        GemmShape s = s_;
        s.n = std::min(end * kSide, s_.n) - first * kSide;
        s.k = std::min((l + depth) * kSide, s_.k) - l * kSide;
        pack_right_factor(s, stored_ + offset_of_depth(s, l * kSide), first * kSide, true, space);
        return {space, depth * kPackedSquare<E>};
    }

    void run_task(int64_t block, int64_t part, float* sums, bf16* space) const {
        const int64_t i0 = part * cut_.part, i1 = std::min(cut_.rows, i0 + cut_.part),
                      j0 = block * cut_.block, j1 = std::min(cut_.columns, j0 + cut_.block);
        const AmxTiles tiles(kAmxRows, kAmxRows);
        alignas(64) float own[2][kSquare];  // the last block's sums and those of the one before
        LeavingSquare<C> leaving;
        for (int64_t l = 0; l < cut_.depth; l += cut_.block_depth) {
            const RightPanels right = right_block(j0, j1, l, space);
            for (int64_t i = i0; i < i1; ++i)
                for (int64_t j = j0; j < j1; ++j) {
                    const int64_t n = (i - i0) * cut_.block + j - j0;
                    float* const at = keeps_sums_ ? sums + n * kSquare : own[n % 2];
                    multiply(i, j, l, right.data + (j - j0) * right.stride, at,
                             i + 1 < i1 ? Share{j - j0, j1 - j0} : Share{}, leaving);
                }
        }
        if (leaving.c != nullptr) store_whole<false>(leaving);
        if (past_cache_) finish_past_cache();
    }

    struct Share {
        int64_t nth = 0, of = 0;
    };

    /// `right` is panel j from depth l on, `sums` where the sums are formed, and wait for the rest
    /// of the depth, if C cannot hold them; `ahead` the share of the next left panel that is asked
    /// for meanwhile; `leaving` what is finished but not stored yet.
    void multiply(int64_t i, int64_t j, int64_t l, const bf16* right, float* sums, Share ahead,
                  LeavingSquare<C>& leaving) const {
        const int64_t rows = std::min(kSide, s_.m - i * kSide),
                      columns = std::min(kSide, s_.n - j * kSide),
                      depth = std::min(cut_.block_depth, cut_.depth - l);
        C* const c = c_ + i * kSide * s_.ldc + j * kSide;
        const bool add_to_c = s_.accumulate || (l > 0 && !keeps_sums_);
        constexpr int64_t kNumber = sizeof(bf16), kSum = sizeof(float);
        AmxBlock block{
            left_square(i, l), right, sums,  left_.row * kNumber, 2 * kAmxDepth * kNumber,
            kSide * kSum,      depth, false, left_.square};
        if (ahead.of > 0) block.wanted[0] = next_left(i, l, ahead);
        if (!past_cache_ && l + depth >= cut_.depth) {
            const int64_t share = ceil_div(rows, depth), row_bytes = s_.ldc * sizeof(C);
            block.wanted[1] = {c, share * row_bytes, row_bytes, share,
                               kSide * sizeof(C) / kAmxRowBytes};
        }
        if constexpr (std::is_same_v<C, float>) {
            if (!past_cache_ && rows == kSide && columns == kSide && (kAddsInTiles || !add_to_c)) {
                block.sums = c, block.sums_stride = s_.ldc * kSum, block.add = add_to_c;
                multiply(block);
                return;
            }
        }
        if (keeps_sums_) block.add = l > 0;
        if (leaves_late_ && leaving.c != nullptr)
            amx_block_while<false>(block, leaving);
        else
            multiply(block);
        leaving = {};
        if (keeps_sums_ && l + depth < cut_.depth) return;
        if (leaves_late_) {
            leaving = {sums, c, s_.ldc};
            return;
        }
        store_square(block.sums, rows, columns, add_to_c, past_cache_, c, s_.ldc);
    }

    /// A share of left panel i + 1 from depth l on.
    WantedLines next_left(int64_t i, int64_t l, Share share) const {
        const int64_t rows = ceil_div(kSide, share.of), first = share.nth * rows,
                      left = std::clamp<int64_t>(kSide - first, 0, rows);
        constexpr int64_t kNumber = sizeof(bf16);
        const bf16* const at = left_square(i + 1, l) + first * left_.row;
        if (kParts < E >> 1)  // rows of each part follow each other
            return {at, left_.square * kNumber, kSquare * kNumber, kParts<E>, left};
        return {at, left_.square * kNumber, left_.row * kNumber, left};
    }

    /// float32 sums lose less if those of a block are added as a whole.
    static constexpr bool kAddsInTiles = kParts<E> == 1;
    static void multiply(const AmxBlock& block) {
        if constexpr (kParts<E> == 1)
            amx_block<true, true, true>(block);
        else
            amx_block_of_parts(block);
    }

    GemmShape s_;
    Cut cut_;
    LeftPanels left_;
    RightPanels right_{};
    const E* stored_ = nullptr;
    C* c_;
    /// C is written past the cache; sums of a part of the depth wait elsewhere.
    bool past_cache_, keeps_sums_;
    bool leaves_late_;  ///< a finished square is stored while the next one is multiplied
};

/// A product of bfloat16 factors that both would have to be packed, as those of a weight's
/// gradient: tasks pack what they need, a little of the depth at a time, so that nothing packed
/// leaves the second-level cache. The wider a task, the less often a factor is packed: there is one
/// for each thread, if that is enough. A part of one factor, if it is no deeper than fits there,
/// stays packed for all tasks of it that a thread takes; otherwise tasks ask for what they pack
/// next while they multiply. REQUIRES a factor a that is transposed and b that is neither
/// transposed nor in panels.
template <class C>
class OwnFactorsProduct {
  public:
    /// `squared_norms` as in AmxProduct::run.
    OwnFactorsProduct(const GemmShape& s, const bf16* a, const bf16* b, C* c, double* squared_norms)
        : s_(s),
          a_(a),
          b_(b),
          c_(c),
          squared_norms_(squared_norms),
          rows_(squares(s.m)),
          columns_(squares(s.n)),
          depth_(std::max<int64_t>(squares(s.k), 1)),
          step_(even_part(depth_, kOwnDepth)),
          part_(even_part(rows_, kOwnPanels)),
          block_(even_part(columns_, kOwnPanels)),
          alone_(s.m * s.n * s.k < kFewestTerms),
          past_cache_(s.read_late && !s.accumulate && s.m * s.n >= kManySums) {
        if constexpr (std::is_same_v<C, float>)
            leaves_late_ = past_cache_ && s.m % kSide == 0 && s.n % kSide == 0 &&
                           LeavingSquare<C>::can_leave(c, s.ldc);
        while (tasks() < (alone_ ? 1 : cpu_threads())) {
            int64_t& wider = part_ > block_ ? part_ : block_;
            if (wider <= kFewestPanels) break;
            wider = ceil_div(wider, 2);
        }
        if (depth_ <= kKeptDepth && std::max(parts(), blocks()) > cpu_threads())
            (parts() <= blocks() ? keeps_left_ : keeps_right_) = true;
    }

    /// Floats and numbers that each thread needs; the first line of these says what stays packed.
    int64_t kept_sums() const { return part_ * block_ * kSquare; }
    int64_t packed_block() const { return kLineNumbers + left_room() + right_room(); }

    void run(float* sums, bf16* packed) const {
        for (int thread = 0; thread < cpu_threads(); ++thread)
            kept_of(packed + thread * packed_block()) = -1;
        const auto task = [&](int64_t n, int thread) {
            const int64_t i = (keeps_left_ ? n / blocks() : n % parts()) * part_,
                          j = (keeps_left_ ? n % blocks() : n / parts()) * block_;
            run_task({i, std::min(rows_, i + part_), j, std::min(columns_, j + block_)},
                     sums + thread * kept_sums(), packed + thread * packed_block());
        };
        if (alone_)
            for (int64_t n = 0; n < tasks(); ++n) task(n, 0);
        else
            parallel_tasks(tasks(), task);
    }

  private:
    /// Squares of the result.
    struct Task {
        int64_t i0, i1, j0, j1;
    };

    int64_t parts() const { return ceil_div(rows_, part_); }
    int64_t blocks() const { return ceil_div(columns_, block_); }
    int64_t tasks() const { return parts() * blocks(); }

    static constexpr int64_t kLineNumbers = kAmxRowBytes / sizeof(bf16);
    int64_t left_room() const { return part_ * (keeps_left_ ? depth_ : step_) * kSquare; }
    int64_t right_room() const { return block_ * (keeps_right_ ? depth_ : step_) * kSquare; }
    /// Where what a thread keeps packed begins.
    static int64_t& kept_of(bf16* packed) { return *reinterpret_cast<int64_t*>(packed); }

    void run_task(const Task& task, float* sums, bf16* packed) const {
        const AmxTiles tiles(kAmxRows, kAmxRows);
        const int64_t from = keeps_left_ ? task.i0 : task.j0;
        const bool kept = (keeps_left_ || keeps_right_) && kept_of(packed) == from;
        for (int64_t l = 0; l < depth_; l += step_)
            run_step(task, l, sums, packed + kLineNumbers, keeps_left_ && kept,
                     keeps_right_ && kept);
        kept_of(packed) = from;
        if (past_cache_) finish_past_cache();
    }

    /// Squares [l, l + step_) of the depth; what stands packed already.
    void run_step(const Task& task, int64_t l, float* sums, bf16* packed, bool has_left,
                  bool has_right) const {
        const int64_t depth = std::min(step_, depth_ - l), panel = depth * kSquare;
        bf16* const left = packed + (keeps_left_ ? (task.i1 - task.i0) * l * kSquare : 0);
        bf16* const right =
            packed + left_room() + (keeps_right_ ? (task.j1 - task.j0) * l * kSquare : 0);
        GemmShape s = s_;
        s.m = std::min(task.i1 * kSide, s_.m) - task.i0 * kSide;
        s.n = std::min(task.j1 * kSide, s_.n) - task.j0 * kSide;
        s.k = std::min((l + depth) * kSide, s_.k) - l * kSide;
        if (!has_left) pack_left_factor(s, left_at(task, l), true, left);
        if (!has_right) pack_right_factor(s, right_at(task, l), 0, true, right);
        const int64_t width = task.j1 - task.j0, count = (task.i1 - task.i0) * width;
        for (int64_t n = 0; n < count; ++n) {
            const int64_t i = n / width, j = n % width;
            AmxBlock block = packed_block_of(left + i * panel, right + j * panel, depth);
            block.sums = sums + n * kSquare;
            block.add = l > 0;
            if (l + depth < depth_) {
                if (!keeps_left_ && !keeps_right_) {  // else the cache is full enough
                    block.wanted[0] =
                        share(left_at(task, l + depth), s_.lda, task.i1 - task.i0, n, count);
                    block.wanted[1] = share(right_at(task, l + depth), s_.ldb, width, n, count);
                }
                amx_block<true, true, true>(block);
                continue;
            }
            if (leaves_late_ && n > 0) {
                store_late(task, n - 1, sums, &block);
                continue;
            }
            amx_block<true, true, true>(block);
            if (!leaves_late_) store(task.i0 + i, task.j0 + j, block.sums);
        }
        if (leaves_late_ && l + depth >= depth_) store_late(task, count - 1, sums, nullptr);
    }

    const bf16* left_at(const Task& task, int64_t l) const {
        return a_ + l * kSide * s_.lda + task.i0 * kSide;
    }
    const bf16* right_at(const Task& task, int64_t l) const {
        return b_ + l * kSide * s_.ldb + task.j0 * kSide;
    }

    static AmxBlock packed_block_of(const bf16* left, const bf16* right, int64_t depth) {
        constexpr int64_t kRow = kSide * sizeof(bf16), kPair = 2 * kAmxDepth * sizeof(bf16),
                          kSums = kSide * sizeof(float);
        return {left, right, nullptr, kRow, kPair, kSums, depth, false, kSquare};
    }

    /// The nth of `of` shares of what is packed next: `width` squares beside each other.
    WantedLines share(const bf16* from, int64_t stride, int64_t width, int64_t nth,
                      int64_t of) const {
        const int64_t rows = ceil_div(step_ * kSide, of), lines = ceil_div(width, step_);
        return {from + nth * rows * stride, lines * kAmxRowBytes,
                stride * static_cast<int64_t>(sizeof(bf16)), rows, lines};
    }

    /// Square [i, j], now.
    void store(int64_t i, int64_t j, const float* sums) const {
        const int64_t rows = std::min(kSide, s_.m - i * kSide),
                      columns = std::min(kSide, s_.n - j * kSide);
        C* const c = c_ + i * kSide * s_.ldc + j * kSide;
        store_square(sums, rows, columns, s_.accumulate, past_cache_, c, s_.ldc);
        if constexpr (std::is_same_v<C, float>)
            if (squared_norms_ != nullptr)
                squared_norms_[i * columns_ + j] = squared_norm_of(c, rows, columns, s_.ldc);
    }

    /// Square n of a task, while `next` is multiplied, or at once.
    void store_late(const Task& task, int64_t n, const float* sums, const AmxBlock* next) const {
        if constexpr (std::is_same_v<C, float>) {
            const int64_t width = task.j1 - task.j0, i = task.i0 + n / width,
                          j = task.j0 + n % width;
            const LeavingSquare<C> leaving{sums + n * kSquare, c_ + i * kSide * s_.ldc + j * kSide,
                                           s_.ldc};
            const double squared_norm = next == nullptr ? store_whole<true>(leaving)
                                                        : amx_block_while<true>(*next, leaving);
            if (squared_norms_ != nullptr) squared_norms_[i * columns_ + j] = squared_norm;
        }
    }

    GemmShape s_;
    const bf16 *a_, *b_;
    C* c_;
    double* squared_norms_;
    int64_t rows_, columns_, depth_;  ///< squares
    int64_t step_, part_, block_;     ///< of a task: depth at a time, rows, columns
    bool alone_, past_cache_;
    bool keeps_left_ = false, keeps_right_ = false;  ///< one of them at most
    bool leaves_late_ = false;  ///< a finished square is stored while the next one is multiplied
};

}  // namespace

template <class Product>
void AmxProduct::run_packed(const Product& product) {
    const int threads = cpu_threads();
    product.run(sums_.at_least<float>(product.kept_sums() * threads),
                right_.at_least<bf16>(product.packed_block() * threads));
}

template <class E, class C>
void AmxProduct::run_any(const GemmShape& shape, const E* a, const E* b, C* c,
                         double* squared_norms) {
    const int64_t depth = std::max<int64_t>(squares(shape.k), 1);
    const bool as_it_lies = shape.b_panels && !shape.b_transposed;
    if constexpr (std::is_same_v<E, bf16>)
        if (tells_squared_norms(shape))
            return run_packed(OwnFactorsProduct<C>(shape, a, b, c, squared_norms));
    const int64_t most = kPackedNumbers / (depth * kPackedSquare<E>);
    const int64_t most_rows =
        even_part(squares(shape.m), std::min(most, kMostRows / kSide)) * kSide;
    const bool by_tasks =
        !as_it_lies && shape.m <= most_rows && Cut(shape, kParts<E>, true).parts() <= kMostPackings;
    const int64_t most_columns = (as_it_lies || by_tasks ? std::max<int64_t>(squares(shape.n), 1)
                                                         : even_part(squares(shape.n), most)) *
                                 kSide;
    const bool one_right = shape.n <= most_columns;
    GemmShape s = shape;
    bool packed_right = false;
    for (int64_t row = 0; row < shape.m; row += most_rows) {
        s.m = std::min(most_rows, shape.m - row);
        const bool alone = s.m * shape.n * s.k < kFewestTerms;
        const E* const stored = s.a_transposed ? a + row : a + row * s.lda;
        const LeftPanels left =
            lies_in_squares<E>(s)
                ? left_as_it_lies(s, stored)
                : packed_left(s, stored, alone,
                              left_.at_least<bf16>(squares(s.m) * depth * kPackedSquare<E>));
        for (int64_t column = 0; column < shape.n; column += most_columns) {
            s.n = std::min(most_columns, shape.n - column);
            C* const result = c + row * s.ldc + column;
            if (by_tasks) {
                run_packed(PackedProduct<E, C>(s, left, b, result));
                continue;
            }
            RightPanels right{reinterpret_cast<const bf16*>(b), shape.ldb};
            if (!as_it_lies) {
                bf16* const made = right_.at_least<bf16>(squares(s.n) * depth * kPackedSquare<E>);
                if (!packed_right) pack_right_factor(s, b, column, alone, made);
                right = {made, depth * kPackedSquare<E>};
            }
            packed_right = one_right;
            run_packed(PackedProduct<E, C>(s, left, right, result));
        }
    }
}

template <class E>
void AmxProduct::run_to_float(const GemmShape& shape, const E* a, const E* b, float* c,
                              double* squared_norms) {
    GemmShape s = shape;
    s.read_late = shape.read_late && shape.k <= kMostDepth;
    for (int64_t at = 0; at == 0 || at < shape.k; at += kMostDepth) {
        s.k = std::min(kMostDepth, shape.k - at);
        s.accumulate = shape.accumulate || at > 0;
        run_any(s, s.a_transposed ? a + at * s.lda : a + at, b + offset_of_depth(s, at), c,
                at + s.k < shape.k ? nullptr : squared_norms);
    }
}

void AmxProduct::run(const GemmShape& shape, const float* a, const float* b, float* c) {
    run_to_float(shape, a, b, c, nullptr);
}
void AmxProduct::run(const GemmShape& shape, const bf16* a, const bf16* b, float* c,
                     double* squared_norms) {
    run_to_float(shape, a, b, c, squared_norms);
}

void AmxProduct::run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
    if (shape.k <= kMostDepth) {
        run_any(shape, a, b, c, nullptr);
        return;
    }
    GemmShape s = shape;
    s.accumulate = false;
    s.ldc = s.n;
    for (int64_t row = 0; row < shape.m; row += kMostRows) {
        s.m = std::min(kMostRows, shape.m - row);
        auto* sums = whole_.at_least<float>(s.m * s.n);
        run(s, s.a_transposed ? a + row : a + row * s.lda, b, sums);
        parallel_for(s.m, 1, [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r)
                store_sums(sums + r * s.n, s.n, shape.accumulate, c + (row + r) * shape.ldc);
        });
    }
}

#else

void AmxProduct::run(const GemmShape&, const bf16*, const bf16*, bf16*) {
    CHECK(false, "no tiles in this build");
}
void AmxProduct::run(const GemmShape&, const float*, const float*, float*) {
    CHECK(false, "no tiles in this build");
}
void AmxProduct::run(const GemmShape&, const bf16*, const bf16*, float*, double*) {
    CHECK(false, "no tiles in this build");
}

#endif

}  // namespace headroom
