#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

extern char **environ;

// Swift cannot pass a destructor that is a number cast to a function pointer.
static inline int benchmark_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int benchmark_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The number of heap bytes in use, according to the allocator.
static inline long benchmark_heap_bytes(void) {
#if defined(__APPLE__)
  malloc_statistics_t statistics;
  malloc_zone_statistics(NULL, &statistics);
  return (long)statistics.size_in_use;
#else
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
#endif
}

// Runs a program with its standard output and error thrown away, and returns its exit code, or -1. `peak` is the
// number of bytes of memory that it had at most.
static inline int benchmark_run(char *const arguments[], long *peak) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process;
  int error = posix_spawn(&process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status;
  struct rusage usage;
  if (error != 0 || wait4(process, &status, 0, &usage) != process) return -1;
#if defined(__APPLE__)
  *peak = usage.ru_maxrss;
#else
  *peak = usage.ru_maxrss * 1024;
#endif
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
