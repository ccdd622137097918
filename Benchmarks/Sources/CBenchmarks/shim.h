#include <sqlite3.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

// Swift cannot call SQLite's destructors that are numbers cast to function pointers.
static inline int benchmark_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int benchmark_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// How many bytes of the heap are in use, as the allocator counts them.
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
