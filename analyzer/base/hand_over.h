// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#if defined(__SANITIZE_THREAD__)
#define SANSCOPE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANSCOPE_THREAD_SANITIZER 1
#endif
#endif

#ifdef SANSCOPE_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace sanscope {

// Tells ThreadSanitizer that an object passes from one thread to another under the eyes of a library it cannot see
// into: what was done before pass_on(object) happened before what follows take_over(object). Nothing in other builds.
inline void pass_on([[maybe_unused]] void* object) {
#ifdef SANSCOPE_THREAD_SANITIZER
    __tsan_release(object);
#endif
}
inline void take_over([[maybe_unused]] void* object) {
#ifdef SANSCOPE_THREAD_SANITIZER
    __tsan_acquire(object);
#endif
}

}  // namespace sanscope
