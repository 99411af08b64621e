// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD: counts the calls by which a program writes files below a folder and
// lets one of them fail, or ends the program there. Nothing of the C++ library: it is set up before
// main, and used after it. Its variables:
//
//   PERCUSS_FAULT_FOLDER  calls for files below are counted; absolute
//   PERCUSS_FAULT_KIND    see FaultKind in fault.h, by name
//   PERCUSS_FAULT_AT      number of the call, from 1; 0: none
//   PERCUSS_FAULT_ERRNO   what a failing call says
//   PERCUSS_FAULT_LOG     a file outside of the folder: a line for each call, its name and its
//   path, with a `!` before one that failed PERCUSS_FAULT_KEEP    a folder outside: each file that
//   got its name by rename() is linked there PERCUSS_FAULT_CLOCK   seconds added to what the clock
//   says

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

enum class Kind { kNone, kOnce, kFromThen, kReadOnly, kHalf, kKill, kRead, kGrow };

struct Plan {
  char folder[PATH_MAX] = {};
  std::size_t folder_length = 0;
  char keep[PATH_MAX] = {};
  Kind kind = Kind::kNone;
  long at = 0;
  int error = EIO;
  int log = -1;
  long clock = 0;
};

Plan plan;
std::atomic<long> count, kept;

const char* Setting(const char* name) {
  const char* text = getenv(name);
  return text == nullptr ? "" : text;
}

[[gnu::constructor]] void SetUp() {
  snprintf(plan.folder, sizeof plan.folder, "%s", Setting("PERCUSS_FAULT_FOLDER"));
  snprintf(plan.keep, sizeof plan.keep, "%s", Setting("PERCUSS_FAULT_KEEP"));
  plan.folder_length = strlen(plan.folder);
  plan.at = atol(Setting("PERCUSS_FAULT_AT"));
  plan.error = atoi(Setting("PERCUSS_FAULT_ERRNO"));
  plan.clock = atol(Setting("PERCUSS_FAULT_CLOCK"));
  const char* const kinds[] = {"none", "once", "from-then", "read-only",
                               "half", "kill", "read",      "grow"};
  for (int k = 0; k < 8; ++k) {
    if (strcmp(Setting("PERCUSS_FAULT_KIND"), kinds[k]) == 0) plan.kind = static_cast<Kind>(k);
  }
  // Above the descriptors that the program counts on.
  const long log = syscall(SYS_openat, AT_FDCWD, Setting("PERCUSS_FAULT_LOG"),
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (log >= 0) plan.log = static_cast<int>(syscall(SYS_fcntl, log, F_DUPFD_CLOEXEC, 500));
  if (log >= 0) syscall(SYS_close, log);
}

bool IsBelow(int folder, const char* path, char (&whole)[PATH_MAX]) {
  if (plan.folder_length == 0 || path == nullptr) return false;
  char base[PATH_MAX] = {};
  if (path[0] != '/') {
    char link[64];
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
    if (length <= 0) return false;
    base[length] = '\0';
  }
  const int written =
      snprintf(whole, sizeof whole, "%s%s%s", base, path[0] == '/' ? "" : "/", path);
  return written > 0 && written < PATH_MAX &&
         strncmp(whole, plan.folder, plan.folder_length) == 0 &&
         (whole[plan.folder_length] == '/' || whole[plan.folder_length] == '\0');
}

bool IsBelow(int descriptor, char (&whole)[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = syscall(SYS_readlinkat, AT_FDCWD, link, whole, sizeof whole - 1);
  if (length <= 0) return false;
  whole[length] = '\0';
  char same[PATH_MAX];
  return IsBelow(AT_FDCWD, whole, same);
}

void Grow(const char* path) {
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  const char more[] = "more";
  syscall(SYS_write, file, more, sizeof more);
  syscall(SYS_close, file);
}

bool CountsReads() { return plan.kind == Kind::kRead || plan.kind == Kind::kGrow; }

constexpr int kGoOn = 0, kWriteHalf = -1;

/// What a call does: go on, write half of it, or fail with this number.
int Verdict(long number, const char* path, bool writes, bool changes_names) {
  if (plan.at == 0 || number < plan.at) return kGoOn;
  const bool here = number == plan.at;
  switch (plan.kind) {
    case Kind::kNone:
      return kGoOn;
    case Kind::kOnce:
    case Kind::kRead:
      return here ? plan.error : kGoOn;
    case Kind::kGrow:
      if (here) Grow(path);
      return kGoOn;
    case Kind::kFromThen:  // a full disk: names can go, and bytes that fit are written
      if (writes && here) return kWriteHalf;
      return writes ? plan.error : kGoOn;
    case Kind::kReadOnly:
      return writes || changes_names ? plan.error : kGoOn;
    case Kind::kHalf:
      return here && writes ? kWriteHalf : kGoOn;
    case Kind::kKill:
      return kGoOn;
  }
  return kGoOn;
}

/// @param writes bytes; @param changes_names of files
int Judge(const char* call, const char* path, bool writes, bool changes_names) {
  const int before = errno;
  const long number = ++count;
  const int verdict = Verdict(number, path, writes, changes_names);
  if (plan.log >= 0) {
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s%s %s", verdict > 0 ? "! " : "", call, path);
    for (int i = 0; i < length; ++i) line[i] = line[i] == '\n' ? ' ' : line[i];
    line[length++] = '\n';
    syscall(SYS_write, plan.log, line, length);
  }
  if (plan.kind == Kind::kKill && number == plan.at) syscall(SYS_kill, getpid(), SIGKILL);
  errno = before;
  return verdict;
}

template <typename Function>
Function* Next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool Writes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0; }

/// -1 with errno, or 0 to go on
int JudgeNames(const char* call, int folder, const char* path, bool makes) {
  char whole[PATH_MAX];
  if (CountsReads() || !IsBelow(folder, path, whole)) return 0;
  const int verdict = Judge(call, whole, makes, true);
  if (verdict <= 0) return 0;
  errno = verdict;
  return -1;
}

int JudgeOpen(int folder, const char* path, int flags) {
  char whole[PATH_MAX];
  if (CountsReads() == Writes(flags) || !IsBelow(folder, path, whole)) return 0;
  const int verdict = Judge("open", whole, true, true);
  if (verdict <= 0) return 0;
  errno = verdict;
  return -1;
}

/// How many bytes of `size` the call may write, or -1 with errno.
ssize_t JudgeWrite(const char* call, int descriptor, std::size_t size) {
  char whole[PATH_MAX];
  if (CountsReads() || !IsBelow(descriptor, whole)) return static_cast<ssize_t>(size);
  const int verdict = Judge(call, whole, true, false);
  if (verdict == kWriteHalf && size > 1) return static_cast<ssize_t>(size / 2);
  if (verdict <= 0) return static_cast<ssize_t>(size);
  errno = verdict;
  return -1;
}

bool IsOpenForWriting(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

extern "C" {

#define PERCUSS_OPEN(name)                                \
  int name(const char* path, int flags, ...) {            \
    va_list rest;                                         \
    va_start(rest, flags);                                \
    const int mode = va_arg(rest, int);                   \
    va_end(rest);                                         \
    if (JudgeOpen(AT_FDCWD, path, flags) != 0) return -1; \
    return Next(&name, #name)(path, flags, mode);         \
  }
PERCUSS_OPEN(open)
PERCUSS_OPEN(open64)

#define PERCUSS_OPENAT(name)                               \
  int name(int folder, const char* path, int flags, ...) { \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    const int mode = va_arg(rest, int);                    \
    va_end(rest);                                          \
    if (JudgeOpen(folder, path, flags) != 0) return -1;    \
    return Next(&name, #name)(folder, path, flags, mode);  \
  }
PERCUSS_OPENAT(openat)
PERCUSS_OPENAT(openat64)

int creat(const char* path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

// The C library opens the file of a stream without calling open().
#define PERCUSS_FOPEN(name)                                                               \
  FILE* name(const char* path, const char* mode) {                                        \
    const int flags = mode[0] == 'r' && strchr(mode, '+') == nullptr ? O_RDONLY : O_RDWR; \
    if (JudgeOpen(AT_FDCWD, path, flags) != 0) return nullptr;                            \
    return Next(&name, #name)(path, mode);                                                \
  }
PERCUSS_FOPEN(fopen)
PERCUSS_FOPEN(fopen64)

ssize_t write(int descriptor, const void* bytes, size_t size) {
  const ssize_t allowed = JudgeWrite("write", descriptor, size);
  return allowed < 0 ? -1 : syscall(SYS_write, descriptor, bytes, allowed);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  const ssize_t allowed = JudgeWrite("write", descriptor, size);
  return allowed < 0 ? -1 : syscall(SYS_pwrite64, descriptor, bytes, allowed, at);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t at) {
  return pwrite(descriptor, bytes, size, at);
}

ssize_t writev(int descriptor, const iovec* parts, int number) {
  const ssize_t allowed = JudgeWrite("write", descriptor, SSIZE_MAX);
  return allowed < 0 ? -1 : syscall(SYS_writev, descriptor, parts, number);
}

ssize_t read(int descriptor, void* bytes, size_t size) {
  char whole[PATH_MAX];
  if (CountsReads() && IsBelow(descriptor, whole)) {
    const int verdict = Judge("read", whole, true, false);
    if (verdict > 0) {
      errno = verdict;
      return -1;
    }
  }
  return syscall(SYS_read, descriptor, bytes, size);
}

int fsync(int descriptor) {
  char whole[PATH_MAX];
  if (!CountsReads() && IsBelow(descriptor, whole)) {
    const int verdict = Judge("fsync", whole, IsOpenForWriting(descriptor), false);
    if (verdict > 0) {
      errno = verdict;
      return -1;
    }
  }
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) { return fsync(descriptor); }

int ftruncate(int descriptor, off_t size) {
  const ssize_t allowed = JudgeWrite("ftruncate", descriptor, 1);
  return allowed < 0 ? -1 : static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

int close(int descriptor) {
  char whole[PATH_MAX];
  const bool counts = !CountsReads() && IsOpenForWriting(descriptor) && IsBelow(descriptor, whole);
  const int verdict = counts ? Judge("close", whole, true, false) : kGoOn;
  const int closed = static_cast<int>(syscall(SYS_close, descriptor));  // it is closed all the same
  if (verdict <= 0) return closed;
  errno = verdict;
  return -1;
}

int rename(const char* from, const char* to) {
  char whole[PATH_MAX];
  if (JudgeNames("rename", AT_FDCWD, to, false) != 0) return -1;
  const int renamed = static_cast<int>(syscall(SYS_rename, from, to));
  if (renamed == 0 && plan.keep[0] != '\0' && IsBelow(AT_FDCWD, to, whole)) {
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/%ld", plan.keep, ++kept);
    syscall(SYS_linkat, AT_FDCWD, to, AT_FDCWD, name, 0);
  }
  return renamed;
}

int mkdir(const char* path, mode_t mode) {
  if (JudgeNames("mkdir", AT_FDCWD, path, true) != 0) return -1;
  return static_cast<int>(syscall(SYS_mkdir, path, mode));
}

int unlink(const char* path) {
  if (JudgeNames("unlink", AT_FDCWD, path, false) != 0) return -1;
  return static_cast<int>(syscall(SYS_unlink, path));
}

int rmdir(const char* path) {
  if (JudgeNames("rmdir", AT_FDCWD, path, false) != 0) return -1;
  return static_cast<int>(syscall(SYS_rmdir, path));
}

int remove(const char* path) {
  if (JudgeNames("unlink", AT_FDCWD, path, false) != 0) return -1;
  const int removed = static_cast<int>(syscall(SYS_unlink, path));
  return removed != 0 && (errno == EISDIR || errno == EPERM)
             ? static_cast<int>(syscall(SYS_rmdir, path))
             : removed;
}

int unlinkat(int folder, const char* path, int flags) {
  if (JudgeNames("unlink", folder, path, false) != 0) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

// The clock of the day alone: that of durations does not go back.
time_t time(time_t* out) {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  now.tv_sec += plan.clock;
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int clock_gettime(clockid_t clock, timespec* now) {
  const int status = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (status == 0 && clock == CLOCK_REALTIME) now->tv_sec += plan.clock;
  return status;
}

}  // extern "C"
