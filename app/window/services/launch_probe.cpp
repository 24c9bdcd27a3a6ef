#include "app/window/services/launch_probe.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include "core/base/key_error.h"
#include "core/train/predict_memory.h"
#include "datasets/open_data.h"

namespace headroom {

namespace {

constexpr int kTypingMs = 250;

/// What a model counts whose data cannot be opened; 0 where only they say it.
int64_t vocabulary_without_data(const DataConfig& data) {
    try {
        return known_vocabulary(data);
    } catch (const std::exception&) {
        return 0;
    }
}

DataFacts look_at_data(const DataConfig& data) {
    DataFacts facts;
    try {
        const auto source = open_data(data, 1);
        facts.vocab_size = source->info().vocab_size;
        facts.description = source->info().description;
    } catch (const KeyError& error) {
        facts.error = error.what();
        facts.error_key = error.keys().front();
    } catch (const std::exception& error) {
        facts.error = error.what();
        facts.error_key = "data.train";
    }
    if (!facts.error.empty()) facts.vocab_size = vocabulary_without_data(data);
    return facts;
}

MemoryFacts look_at_memory(const Job& job) {
    MemoryFacts facts;
    try {
        facts.memory = predict_memory(job);
    } catch (const std::exception& error) {
        facts.error = error.what();
    }
    return facts;
}

bool same(const DataConfig& a, const DataConfig& b) {
    return a.train == b.train && a.val == b.val && a.tokenizer == b.tokenizer;
}

/// Runs `work` in the pool and hands its result to `take` on the UI thread, unless `self` is gone.
template <class Work, class Take>
void in_pool(const QPointer<LaunchProbe>& self, Work work, Take take) {
    QThreadPool::globalInstance()->start([self, work, take] {
        auto result = work();
        QMetaObject::invokeMethod(qApp, [self, take, result] {
            if (self) take(result);
        });
    });
}

}  // namespace

LaunchProbe::LaunchProbe(QObject* parent) : QObject(parent) {
    delay_.setSingleShot(true);
    delay_.setInterval(kTypingMs);
    connect(&delay_, &QTimer::timeout, this, &LaunchProbe::ask_data);
}

std::optional<DataFacts> LaunchProbe::data(const DataConfig& data) {
    if (known_ && same(known_data_, data)) return known_;
    if (!same(wanted_data_, data) || (!data_busy_ && !delay_.isActive())) {
        wanted_data_ = data;
        delay_.start();
    }
    return std::nullopt;
}

void LaunchProbe::ask_data() {
    if (data_busy_) return;
    data_busy_ = true;
    in_pool(
        this, [data = wanted_data_] { return look_at_data(data); },
        [this, data = wanted_data_](const DataFacts& facts) { take_data(data, facts); });
}

void LaunchProbe::take_data(const DataConfig& data, const DataFacts& facts) {
    data_busy_ = false;
    known_data_ = data;
    known_ = facts;
    if (!same(data, wanted_data_)) return ask_data();
    emit changed();
}

void LaunchProbe::want_memory(std::map<std::string, Job> jobs) {
    std::erase_if(jobs, [this](const auto& entry) { return memory_.contains(entry.first); });
    wanted_memory_ = std::move(jobs);
    ask_memory();
}

void LaunchProbe::want_match(const LaunchInput& input, const LaunchPlace& place,
                             const MatchQuestion& question) {
    in_pool(
        this, [input, place, question] { return match_launch(input, place, question); },
        [this](const LaunchMatch& match) { emit matched(match); });
}

void LaunchProbe::ask_memory() {
    if (memory_busy_ || wanted_memory_.empty()) return;
    memory_busy_ = true;
    const auto [key, job] = *wanted_memory_.begin();
    in_pool(
        this, [job = job] { return look_at_memory(job); },
        [this, key = key](const MemoryFacts& facts) { take_memory(key, facts); });
}

void LaunchProbe::take_memory(const std::string& key, const MemoryFacts& facts) {
    memory_busy_ = false;
    constexpr size_t kMostKept = 256;
    if (memory_.size() >= kMostKept) memory_.clear();
    memory_[key] = facts;
    wanted_memory_.erase(key);
    ask_memory();
    emit changed();
}

}  // namespace headroom
