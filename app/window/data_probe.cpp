#include "app/window/data_probe.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include "datasets/open_data.h"

namespace headroom {

namespace {

constexpr int kTypingMs = 250;

DataFacts look_at(const DataConfig& data) {
    DataFacts facts;
    try {
        const auto source = open_data(data, 1);
        facts.vocab_size = source->vocab_size();
        facts.description = source->describe();
    } catch (const std::exception& error) {
        facts.error = error.what();
    }
    return facts;
}

bool same(const DataConfig& a, const DataConfig& b) {
    return a.train == b.train && a.val == b.val && a.tokenizer == b.tokenizer;
}

}  // namespace

DataProbe::DataProbe(QObject* parent) : QObject(parent) {
    delay_.setSingleShot(true);
    delay_.setInterval(kTypingMs);
    connect(&delay_, &QTimer::timeout, this, &DataProbe::ask);
}

std::optional<DataFacts> DataProbe::facts(const DataConfig& data) {
    if (known_ && same(known_data_, data)) return known_;
    if (!same(wanted_, data) || (!busy_ && !delay_.isActive())) {
        wanted_ = data;
        delay_.start();
    }
    return std::nullopt;
}

void DataProbe::ask() {
    if (busy_) return;
    busy_ = true;
    QThreadPool::globalInstance()->start([self = QPointer(this), data = wanted_] {
        const DataFacts facts = look_at(data);
        QMetaObject::invokeMethod(qApp, [self, data, facts] {
            if (self) self->take(data, facts);
        });
    });
}

void DataProbe::take(const DataConfig& data, const DataFacts& facts) {
    busy_ = false;
    known_data_ = data;
    known_ = facts;
    if (!same(data, wanted_)) return ask();
    emit changed();
}

}  // namespace headroom
