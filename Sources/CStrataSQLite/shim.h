// CStrataSQLite is SQLite's C library as a Swift module. StrataSQLite is the only target of the package
// that imports it, apart from TestSupport.

#include <sqlite3.h>

// Functions that Swift cannot call as SQLite declares them: variadic ones, and those whose destructor
// argument is a number cast to a function pointer.

static inline int strata_db_config(sqlite3 *db, int option, int value, int *now) {
  return sqlite3_db_config(db, option, value, now);
}

// SQLite copies the bytes. The address of an empty buffer may be null, which SQLite would bind as NULL,
// hence the two special cases.
static inline int strata_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int strata_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(
      statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void strata_result_text(
    sqlite3_context *context, const char *bytes, sqlite3_uint64 count) {
  sqlite3_result_text64(
      context, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void strata_result_blob(
    sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  if (count == 0) sqlite3_result_zeroblob(context, 0);
  else sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

// Of a virtual table and of its cursor, SQLite knows the first field only.

typedef struct {
  sqlite3_vtab base;
  void *owner;
} strata_vtab;

typedef struct {
  sqlite3_vtab_cursor base;
  void *owner;
} strata_vtab_cursor;
