#include <sqlite3.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

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
