/*
 * Preloaded into a process, makes every flush to disk take SLOW_FLUSH_MILLISECONDS longer, as a busy or
 * failing disk does. The flush itself still happens.
 *
 *   cc -shared -fPIC -O2 -o slow-flush.so slow-flush.c -ldl
 *   LD_PRELOAD=./slow-flush.so SLOW_FLUSH_MILLISECONDS=10 program
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

typedef int (*flush_function)(int);

static void delay(void) {
  const char *text = getenv("SLOW_FLUSH_MILLISECONDS");
  long milliseconds = text == NULL ? 0 : strtol(text, NULL, 10);
  struct timespec rest = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  while (nanosleep(&rest, &rest) == -1 && errno == EINTR) {
  }
}

static int flush_slowly(const char *name, int file) {
  flush_function flush = (flush_function)dlsym(RTLD_NEXT, name);
  delay();
  return flush(file);
}

int fsync(int file) { return flush_slowly("fsync", file); }

int fdatasync(int file) { return flush_slowly("fdatasync", file); }
