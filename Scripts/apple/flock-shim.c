// flock(2) as Apple's kernel has it, for a process on Linux that loads this library first (LD_PRELOAD).
//
// XNU keeps the locks of flock and those of fcntl in one list per file, so they exclude each other, also within a
// process (bsd/kern/kern_lockf.c). Linux keeps two lists. A lock of an open file description (F_OFD_SETLK) has the
// owner of a lock of flock and is in the list of fcntl, whose F_GETLK reports it with the process -1, as XNU does.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static int whole_file(int descriptor, int command, short type, short *found) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  int result = fcntl(descriptor, command, &lock);
  if (found) *found = lock.l_type;
  return result;
}

// fcntl locks for writing only what is open for writing; flock does not mind. The descriptor gets a lock for reading if
// nothing else has a lock, which keeps out the others that ask for an exclusive one.
static int exclude_others(int descriptor) {
  short found;
  if (whole_file(descriptor, F_OFD_GETLK, F_WRLCK, &found) < 0) return -1;
  if (found == F_UNLCK) return whole_file(descriptor, F_OFD_SETLK, F_RDLCK, NULL);
  errno = EWOULDBLOCK;
  return -1;
}

int flock(int descriptor, int operation) {
  int kind = operation & ~LOCK_NB;
  if (kind == LOCK_UN) return whole_file(descriptor, F_OFD_SETLK, F_UNLCK, NULL);
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return -1;
  int is_read_only = (flags & O_ACCMODE) == O_RDONLY, is_write_only = (flags & O_ACCMODE) == O_WRONLY;
  if (kind == LOCK_EX && is_read_only) {
    int result;
    while ((result = exclude_others(descriptor)) < 0 && errno == EWOULDBLOCK && !(operation & LOCK_NB)) usleep(1000);
    return result;
  }
  short type = kind == LOCK_EX || is_write_only ? F_WRLCK : F_RDLCK;
  int result = whole_file(descriptor, operation & LOCK_NB ? F_OFD_SETLK : F_OFD_SETLKW, type, NULL);
  if (result < 0 && (errno == EACCES || errno == EAGAIN)) errno = EWOULDBLOCK;
  return result;
}
