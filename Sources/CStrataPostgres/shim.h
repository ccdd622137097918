// CStrataPostgres is libpq, PostgreSQL's C library, as a Swift module. StrataPostgres is the only target
// of the package that imports it.

#include <libpq-fe.h>
