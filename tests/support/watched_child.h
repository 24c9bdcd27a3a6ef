#pragma once

#include <cstdint>
#include <exception>
#include <new>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headroom {

/// One number that a child process writes and its parent reads, also after the child was killed.
class SharedCounter {
  public:
    SharedCounter()
        : value_(static_cast<volatile int64_t*>(::mmap(nullptr, sizeof(int64_t),
                                                       PROT_READ | PROT_WRITE,
                                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        if (value_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~SharedCounter() { ::munmap(const_cast<int64_t*>(value_), sizeof(int64_t)); }
    SharedCounter(const SharedCounter&) = delete;
    SharedCounter& operator=(const SharedCounter&) = delete;

    void set(int64_t value) { *value_ = value; }
    int64_t get() const { return *value_; }

  private:
    volatile int64_t* value_;
};

/// A child process that runs `body` and ends with its result (0..100), or 101 after an exception.
template <class Body>
pid_t start_child(Body&& body) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    try {
        ::_exit(body());
    } catch (const std::exception&) {
        ::_exit(101);
    }
}

/// The exit status of the child; 128 and more: the signal that ended it.
inline int wait_for_child(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace headroom
