#pragma once

/// Whether this build has the thread sanitizer, whose allocator stands in place of the C library's.
#if defined(__SANITIZE_THREAD__)
#define HEADROOM_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define HEADROOM_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define HEADROOM_THREAD_SANITIZER 0
#endif

namespace headroom {

constexpr bool kThreadSanitizer = HEADROOM_THREAD_SANITIZER != 0;

}  // namespace headroom
