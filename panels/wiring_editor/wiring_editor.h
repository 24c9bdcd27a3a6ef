#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {

/// Which tables edits change.
enum class EditedTables : uint8_t { kKeys, kValues, kBoth };

enum class MarkMode { kReplace, kAdd, kToggle };

/// A rectangle of heads, both corners included.
struct HeadBox {
    HeadId from, to;
};

/// Where marked heads shall read: a head, or every head its own number in the layer.
struct SourcePick {
    int layer = 0;
    std::optional<int> head{};

    bool operator==(const SourcePick&) const = default;
};

/// What a new source is multiplied with.
struct PickedWeight {
    double weight = 1.0;
    SourceWeight learned = SourceWeight::kFixed;

    bool operator==(const PickedWeight&) const = default;
};

/// A drawing at one moment; never changed.
struct WiringDrawing {
    std::string title;                 ///< of what it started from
    std::shared_ptr<const Job> start;  ///< what it started from
    std::shared_ptr<const Job> job;    ///< with the table as drawn
    ProjectedHeads projected;          ///< of that table, as its edits say
};

/// The wiring editor without any toolkit: a drawing, which heads are marked, what is being asked
/// for, and every earlier drawing. An edit that cannot be leaves the drawing alone and says why.
class WiringEditor {
  public:
    /// A new drawing; what was before is forgotten.
    void begin(std::string title, const Job& job);
    /// Another drawing, which can be taken back like an edit.
    void start(std::string title, const Job& job);
    bool empty() const { return now_.job == nullptr; }
    /// REQUIRES for all that follows: not empty().
    const WiringDrawing& drawing() const { return now_; }
    const Job& job() const { return *now_.job; }
    const Wiring& wiring() const { return now_.job->model.wiring; }
    /// Whether the table is not the one that it started with.
    bool is_changed() const { return !(wiring() == now_.start->model.wiring); }

    EditedTables tables() const { return tables_; }
    void set_tables(EditedTables tables) { tables_ = tables; }
    bool edits(KvTable table) const;
    const PickedWeight& weight() const { return weight_; }
    void set_weight(const PickedWeight& weight) { weight_ = weight; }

    /// Heads are marked in the tables that are edited. Places outside the table count for nothing.
    void mark(const HeadBox& box, MarkMode mode = MarkMode::kReplace);
    void mark_all();
    void clear_marks();
    bool is_marked(HeadId head) const;
    std::vector<HeadId> marked() const;
    HeadId cursor() const { return cursor_; }
    void move_cursor(HeadId to);
    /// Marks everything between where the cursor was put last and `to`, and goes there.
    void stretch_to(HeadId to);

    /// What would make the marked heads read there. From a head in the same column, or from
    /// several columns, each reads its own number.
    WiringEdit read_edit(const SourcePick& pick, bool besides) const;
    /// Why the edit is impossible, "" if it is possible. An edit without heads is one of the marked
    /// ones; where none is, rules and mirrors paint all heads, others change the one at the cursor.
    std::string refusal_of(const WiringEdit& edit) const;
    /// Does it; false, with refusal(), if it is impossible or changes nothing.
    bool apply(const WiringEdit& edit);
    /// All of them as one step, or none.
    bool apply_all(const std::vector<WiringEdit>& edits);
    /// Another number of key/value heads.
    bool set_kv_heads(int n_kv_head);
    /// Keys and values out of a compressed latent, with its standard widths, or not any more; the
    /// table begins anew. What rules paint then is latents, of the whole model.
    bool set_latent(bool latent);
    /// Repeats the marked layers over all layers above them.
    WiringEdit repeat_edit() const;
    /// The marked layers in the opposite order.
    WiringEdit reverse_edit() const;
    /// Of the last edit; "" after one that was done, or taken back, or another start.
    const std::string& refusal() const { return refusal_; }
    /// Something else is done now.
    void forget_refusal() { refusal_.clear(); }

    /// "Reads from…" by keys: the next place that is confirmed is the source.
    bool is_asking() const { return asking_; }
    bool adds_source() const { return adds_; }
    /// `besides`: it is added to what is read already.
    void ask_source(bool besides = false);
    void stop_asking() { asking_ = false; }
    /// Where the cursor points then: straight up, each head reads its own number.
    SourcePick asked_pick() const;

    bool can_undo() const { return !before_.empty(); }
    bool can_redo() const { return !after_.empty(); }
    void undo();
    void redo();
    /// How often the drawing was changed, edits taken back and done anew included.
    int version() const { return version_; }

    /// The table as job files have it.
    std::string text() const;
    /// Takes a table, or the wiring of a whole job, in its place; false, with refusal().
    bool read_text(const std::string& text, const std::string& source);

  private:
    /// What a drawing becomes; without `projected` as the table says.
    struct Next {
        Job job;
        std::optional<ProjectedHeads> projected{};
    };
    Next edited(const std::vector<WiringEdit>& edits) const;
    Next edited_job(const WiringEdit& edit) const;
    WiringEdit with_targets(WiringEdit edit) const;
    std::pair<int, int> marked_layers() const;
    Job with_wiring(Wiring wiring) const;
    bool take(const std::function<Next()>& make);
    void show(WiringDrawing drawing);
    size_t place_of_mark(HeadId head) const;

    WiringDrawing now_;
    std::vector<WiringDrawing> before_, after_;
    std::vector<char> marks_;  ///< [n_layer * n_kv_head]
    HeadId cursor_, anchor_;
    HeadId asked_at_;  ///< where the cursor stood when it was asked for
    EditedTables tables_ = EditedTables::kValues;
    PickedWeight weight_;
    bool asking_ = false, adds_ = false;
    std::string refusal_;
    int version_ = 0;
};

/// A rule that paints what it says about the marked heads.
struct WiringBrush {
    std::string title, help;
    WiringEdit edit;
};
/// One for each rule of core/wiring/source_rules.h, with the options of `choice`, and SkipV1 that
/// pools.
std::vector<WiringBrush> wiring_brushes(const WiringChoice& choice);

/// "values of layers 5 to 8 read layer 2, each head its own number": what an edit of these heads
/// does, in the numbers that people see.
std::string edit_words(const WiringEdit& edit, EditedTables tables,
                       const std::vector<HeadId>& heads);

}  // namespace headroom
