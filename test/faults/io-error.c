/*
 * A library to preload. The IO_ERROR_AT-th call that writes or flushes a database file fails with EIO. With
 * IO_ERROR_LASTS=1, every later call fails too. With IO_ERROR_KILLS=1, the process is killed before the call. With
 * IO_ERROR_STOPS=1, it is stopped (SIGSTOP) before the call. With one of these two, calls that rename or remove count
 * too. If IO_ERROR_CALLS is set, only the calls in it count, such as "fsync rename". The file IO_ERROR_COUNTER is created
 * when the call is reached. Only files whose name contains ".db" count.
 *
 *   cc -shared -fPIC -O2 -o io-error.so io-error.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int is_data(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, ".db") != NULL;
}

static int reached(const char *name) {
  const char *at = getenv("IO_ERROR_AT"), *names = getenv("IO_ERROR_CALLS");
  if (at == NULL || (names != NULL && strstr(names, name) == NULL)) return 0;
  long call = atomic_fetch_add(&calls, 1) + 1;
  long wanted = strtol(at, NULL, 10);
  if (call != wanted && !(call > wanted && getenv("IO_ERROR_LASTS") != NULL)) return 0;
  const char *counter = getenv("IO_ERROR_COUNTER");
  if (counter != NULL) {
    int made = open(counter, O_CREAT | O_WRONLY, 0600);
    if (made >= 0) close(made);
  }
  if (getenv("IO_ERROR_STOPS") != NULL) {
    kill(getpid(), SIGSTOP);
    return 0;
  }
  if (getenv("IO_ERROR_KILLS") != NULL) kill(getpid(), SIGKILL);
  errno = EIO;
  return 1;
}

static int fails(const char *name, int file) { return is_data(file) && reached(name); }

static void ends(const char *name, const char *path) {
  int may_end = getenv("IO_ERROR_KILLS") != NULL || getenv("IO_ERROR_STOPS") != NULL;
  if (may_end && strstr(path, ".db") != NULL) reached(name);
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t size) {
  return fails("write", file) ? -1 : REAL(write)(file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  return fails("pwrite", file) ? -1 : REAL(pwrite)(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  return fails("pwrite", file) ? -1 : REAL(pwrite64)(file, bytes, size, offset);
}

int fsync(int file) { return fails("fsync", file) ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return fails("fdatasync", file) ? -1 : REAL(fdatasync)(file); }

int ftruncate(int file, off_t size) {
  return fails("ftruncate", file) ? -1 : REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
  return fails("ftruncate", file) ? -1 : REAL(ftruncate64)(file, size);
}

int rename(const char *from, const char *to) {
  ends("rename", to);
  return REAL(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  ends("rename", to);
  return REAL(renameat)(from_folder, from, to_folder, to);
}

int unlink(const char *path) {
  ends("unlink", path);
  return REAL(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
  ends("unlink", path);
  return REAL(unlinkat)(folder, path, flags);
}
