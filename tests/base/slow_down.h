// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::testing {

/// Whether this build checks addresses or threads.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// How much longer programs may compute under the sanitizer of this build: tests that hold them to
/// seconds multiply these by it. Clang's documentation states 2 for addresses and 5 to 15 for
/// threads; all checks of undefined behaviour come on top, and code that is not inlined (-O1).
inline constexpr double kSlowDown = kSanitized ? 20.0 : 1.0;

}  // namespace percuss::testing
