#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace headroom {

/// Keeps what was loaded, up to a number of bytes, and loads what is wanted on a thread of its own,
/// the most urgent first. Item has `size_t bytes() const`. Any thread may call.
template <class Key, class Item>
class LoadingCache {
  public:
    using Pointer = std::shared_ptr<const Item>;
    struct LoadRequest {
        Key key;
        std::function<Item()> load;  ///< must not throw
    };

    /// `arrived` is called on the loading thread after each item.
    LoadingCache(size_t byte_limit, std::function<void()> arrived)
        : byte_limit_(byte_limit),
          arrived_(std::move(arrived)),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// What is there, or nullptr. It counts as used now.
    Pointer find(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto at = items_.find(key);
        if (at == items_.end()) return nullptr;
        order_.splice(order_.begin(), order_, at->second);
        return at->second->second;
    }

    /// Replaces what waits to be loaded; what is there already is left out.
    void want(std::vector<LoadRequest> wishes) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.clear();
            for (LoadRequest& wish : wishes)
                if (!items_.contains(wish.key) && !(loading_ && *loading_ == wish.key))
                    waiting_.push_back(std::move(wish));
        }
        wake_.notify_one();
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        waiting_.clear();
        items_.clear();
        order_.clear();
        bytes_ = 0;
    }

    /// Never above the limit, unless a single item is.
    size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }
    /// Nothing waits and nothing is being loaded.
    bool idle() const {
        const std::lock_guard lock(mutex_);
        return waiting_.empty() && !loading_;
    }

  private:
    void run(const std::stop_token& stop) {
        while (true) {
            LoadRequest wish;
            {
                std::unique_lock lock(mutex_);
                if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
                wish = std::move(waiting_.front());
                waiting_.pop_front();
                loading_ = wish.key;
            }
            auto item = std::make_shared<const Item>(wish.load());
            {
                const std::lock_guard lock(mutex_);
                loading_.reset();
                keep(wish.key, std::move(item));
            }
            if (stop.stop_requested()) return;
            arrived_();
        }
    }

    /// REQUIRES: the lock is held.
    void keep(const Key& key, Pointer item) {
        if (items_.contains(key)) return;
        bytes_ += item->bytes();
        order_.emplace_front(key, std::move(item));
        items_[key] = order_.begin();
        while (bytes_ > byte_limit_ && order_.size() > 1) {
            bytes_ -= order_.back().second->bytes();
            items_.erase(order_.back().first);
            order_.pop_back();
        }
    }

    size_t byte_limit_;
    std::function<void()> arrived_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::list<LoadRequest> waiting_;
    std::optional<Key> loading_;
    std::list<std::pair<Key, Pointer>> order_;  ///< the last used first
    std::map<Key, typename std::list<std::pair<Key, Pointer>>::iterator> items_;
    size_t bytes_ = 0;
    std::jthread thread_;  ///< last: it stops before the rest goes
};

}  // namespace headroom
