#include "panels/wiring_editor/wiring_editor.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/model_check.h"
#include "core/wiring/wiring_groups.h"
#include "core/wiring/wiring_json.h"
#include "panels/base/numbering.h"

namespace headroom {

namespace {

/// Steps that can be taken back.
constexpr size_t kMostSteps = 1000;

/// A table that the other keys of the model section make is no table of its own.
bool is_made_by_keys(ModelConfig model, const Wiring& wiring) {
    model.custom_wiring = false;
    try {
        resolve_wiring(model);
    } catch (const UserError&) {
        return false;  // the keys do not go with the number of heads
    }
    return model.wiring == wiring;
}

}  // namespace

void WiringEditor::begin(std::string title, const Job& job) {
    now_ = {};
    before_.clear();
    start(std::move(title), job);
}

void WiringEditor::start(std::string title, const Job& job) {
    const auto shared = std::make_shared<const Job>(job);
    if (!empty()) before_.push_back(now_);
    after_.clear();
    show({std::move(title), shared, shared, projected_heads(job.model.wiring)});
    clear_marks();
    cursor_ = anchor_ = {};
}

bool WiringEditor::edits(KvTable table) const {
    return tables_ != (table == KvTable::kKeys ? EditedTables::kValues : EditedTables::kKeys);
}

void WiringEditor::mark(const HeadBox& box, MarkMode mode) {
    if (mode == MarkMode::kReplace) clear_marks();
    const auto [top, bottom] = std::minmax(box.from.layer, box.to.layer);
    const auto [left, right] = std::minmax(box.from.head, box.to.head);
    const Wiring& table = wiring();
    for (int l = std::max(top, 0); l <= std::min(bottom, table.n_layer - 1); ++l)
        for (int g = std::max(left, 0); g <= std::min(right, table.n_kv_head - 1); ++g) {
            char& mark = marks_[place_of_mark({l, g})];
            mark = mode == MarkMode::kToggle ? !mark : true;
        }
}

void WiringEditor::mark_all() {
    marks_.assign(marks_.size(), true);
}

void WiringEditor::clear_marks() {
    marks_.assign(static_cast<size_t>(wiring().n_layer) * static_cast<size_t>(wiring().n_kv_head),
                  false);
}

size_t WiringEditor::place_of_mark(HeadId head) const {
    const int place = head.layer * wiring().n_kv_head + head.head;
    return static_cast<size_t>(place);
}

bool WiringEditor::is_marked(HeadId head) const {
    return marks_[place_of_mark(head)];
}

std::vector<HeadId> WiringEditor::marked() const {
    std::vector<HeadId> heads;
    for (int l = 0; l < wiring().n_layer; ++l)
        for (int g = 0; g < wiring().n_kv_head; ++g)
            if (is_marked({l, g})) heads.push_back({l, g});
    return heads;
}

void WiringEditor::move_cursor(HeadId to) {
    cursor_ = {std::clamp(to.layer, 0, wiring().n_layer - 1),
               std::clamp(to.head, 0, wiring().n_kv_head - 1)};
    anchor_ = cursor_;
}

void WiringEditor::stretch_to(HeadId to) {
    const HeadId anchor = anchor_;
    move_cursor(to);
    anchor_ = anchor;
    mark({anchor, cursor_});
}

WiringEdit WiringEditor::with_targets(WiringEdit edit) const {
    if (!edit.heads.empty()) return edit;
    std::vector<HeadId> heads = marked();
    const bool is_rule =
        edit.kind == WiringEdit::Kind::kRule || edit.kind == WiringEdit::Kind::kMirror;
    if (heads.empty() && is_rule) {
        for (int l = 0; l < wiring().n_layer; ++l)
            for (int g = 0; g < wiring().n_kv_head; ++g) heads.push_back({l, g});
    }
    if (heads.empty()) heads.push_back(cursor_);
    for (const KvTable table : {KvTable::kKeys, KvTable::kValues})
        if (edits(table))
            for (const HeadId head : heads) edit.heads.push_back({table, head});
    return edit;
}

WiringEdit WiringEditor::read_edit(const SourcePick& pick, bool besides) const {
    return {.kind = besides ? WiringEdit::Kind::kAdd : WiringEdit::Kind::kRead,
            .layer = pick.layer,
            .head = pick.head,
            .weight = weight_.weight,
            .learned = weight_.learned};
}

std::pair<int, int> WiringEditor::marked_layers() const {
    const std::vector<HeadId> heads = marked();
    if (heads.empty()) return {cursor_.layer, cursor_.layer};
    return {heads.front().layer, heads.back().layer};
}

WiringEdit WiringEditor::repeat_edit() const {
    const auto [first, last] = marked_layers();
    WiringEdit edit{.kind = WiringEdit::Kind::kCopy, .layer = first, .span = last - first + 1};
    for (const KvTable table : {KvTable::kKeys, KvTable::kValues})
        for (int l = last + 1; edits(table) && l < wiring().n_layer; ++l)
            for (int g = 0; g < wiring().n_kv_head; ++g) edit.heads.push_back({table, {l, g}});
    return edit;
}

WiringEdit WiringEditor::reverse_edit() const {
    const auto [first, last] = marked_layers();
    return {.kind = WiringEdit::Kind::kReverse, .layer = first, .span = last - first + 1};
}

Job WiringEditor::with_wiring(Wiring wiring) const {
    Job job = *now_.job;
    ModelConfig& model = job.model;
    model.n_kv_head = wiring.n_kv_head;
    model.custom_wiring = !is_made_by_keys(model, wiring);
    model.wiring = std::move(wiring);
    check_model(model);
    return job;
}

/// Makes the next drawing; what it throws is why there is none.
bool WiringEditor::take(const std::function<Next()>& make) {
    try {
        Next next = make();
        auto job = std::make_shared<const Job>(std::move(next.job));
        if (*job == *now_.job) {
            refusal_ = "nothing changes: it is so already";
            return false;
        }
        before_.push_back(now_);
        if (before_.size() > kMostSteps) before_.erase(before_.begin());
        after_.clear();
        if (!next.projected) next.projected = projected_heads(job->model.wiring);
        show({now_.title, now_.start, std::move(job), std::move(*next.projected)});
        return true;
    } catch (const UserError& error) {
        refusal_ = counted_from_zero(error.what());
        return false;
    }
}

WiringEditor::Next WiringEditor::edited(const std::vector<WiringEdit>& edits) const {
    Wiring table = wiring();
    ProjectedHeads projected = now_.projected;
    for (const WiringEdit& edit : edits) {
        WiringEditResult result = headroom::apply(table, with_targets(edit), projected);
        if (!result.wiring) throw UserError(result.refusal);
        table = std::move(*result.wiring);
        projected = std::move(result.projected);
    }
    return {with_wiring(std::move(table)), std::move(projected)};
}

/// Of latents a rule is a key of the model: they are no heads that a table could name.
WiringEditor::Next WiringEditor::edited_job(const WiringEdit& edit) const {
    if (!now_.job->model.mla || edit.kind != WiringEdit::Kind::kRule) return edited({edit});
    Job job = *now_.job;
    WiringChoice choice = edit.choice;
    if (!edits(KvTable::kKeys)) choice.key_source = "own";
    if (!edits(KvTable::kValues)) choice.value_source = "own";
    job.model.wiring_choice = choice;
    resolve_wiring(job.model);
    check_model(job.model);
    return {std::move(job)};
}

std::string WiringEditor::refusal_of(const WiringEdit& edit) const {
    try {
        edited_job(edit);
        return "";
    } catch (const UserError& error) {
        return counted_from_zero(error.what());
    }
}

bool WiringEditor::apply(const WiringEdit& edit) {
    return take([&] { return edited_job(edit); });
}

bool WiringEditor::apply_all(const std::vector<WiringEdit>& edits) {
    return take([&] { return edited(edits); });
}

bool WiringEditor::set_kv_heads(int n_kv_head) {
    return take([&] {
        WiringEditResult result = with_kv_heads(wiring(), n_kv_head);
        if (!result.wiring) throw UserError(result.refusal);
        return Next{with_wiring(std::move(*result.wiring))};
    });
}

bool WiringEditor::set_latent(bool latent) {
    return take([&] {
        const ModelConfig& model = now_.job->model;
        if (latent == model.mla.has_value()) return Next{*now_.job};
        nlohmann::json keys = to_json(model);
        for (const char* key : {"wiring", "value_source", "key_source"}) keys.erase(key);
        // A scale that is the standard one follows the width of the heads.
        nlohmann::json standard = keys;
        standard.erase("attn_scale");
        if (parse_model_config(standard, "").attn_scale == model.attn_scale)
            keys.erase("attn_scale");
        keys["mla"] = latent ? nlohmann::json::object() : nlohmann::json(nullptr);
        Job job = *now_.job;
        job.model = parse_model_config(keys, "");
        check_model(job.model);
        return Next{std::move(job)};
    });
}

void WiringEditor::ask_source(bool besides) {
    asking_ = false;
    refusal_.clear();
    if (marked().empty()) mark({cursor_, cursor_});
    asking_ = true;
    adds_ = besides;
    asked_at_ = cursor_;
}

SourcePick WiringEditor::asked_pick() const {
    SourcePick pick{cursor_.layer, cursor_.head};
    if (cursor_.head == asked_at_.head) pick.head.reset();
    return pick;
}

/// Marks stay where the table keeps its size.
void WiringEditor::show(WiringDrawing drawing) {
    const bool same_size = !empty() && drawing.job->model.wiring.n_layer == wiring().n_layer &&
                           drawing.job->model.wiring.n_kv_head == wiring().n_kv_head;
    now_ = std::move(drawing);
    ++version_;
    refusal_.clear();
    asking_ = false;
    if (same_size) return;
    clear_marks();
    move_cursor(cursor_);
}

void WiringEditor::undo() {
    refusal_.clear();
    if (before_.empty()) return;
    after_.push_back(now_);
    const WiringDrawing earlier = before_.back();
    before_.pop_back();
    show(earlier);
}

void WiringEditor::redo() {
    refusal_.clear();
    if (after_.empty()) return;
    before_.push_back(now_);
    const WiringDrawing later = after_.back();
    after_.pop_back();
    show(later);
}

std::string WiringEditor::text() const {
    return dump_text(to_json(wiring()));
}

bool WiringEditor::read_text(const std::string& text, const std::string& source) {
    return take([&] {
        const ModelConfig& model = now_.job->model;
        return Next{
            with_wiring(parse_wiring_document(parse_json(text, source), model.n_layer, model.n_head,
                                              model.n_kv_head, model.wiring_choice))};
    });
}

}  // namespace headroom
