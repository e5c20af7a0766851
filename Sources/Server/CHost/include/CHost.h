#pragma once

// What the system has as macros and structures that Swift cannot use. Its own headers stay in CHost.c: a module that includes them would
// take their types away from the system's module.

// The mode and the owner of a file, and whether it is in memory and cannot be written, as the secrets of containers. The system's
// structure belongs to the module that a compiler happens to load first.
struct chost_file {
    unsigned int mode;
    unsigned int owner;
    int isSealed;
};

// Of the file that a path leads to, through links. Returns 0, or -1 with errno.
int chost_file_at(const char *path, struct chost_file *file);
// Of an open file.
int chost_file_of(int descriptor, struct chost_file *file);

enum { CHOST_TEXT = 16, CHOST_MAIL = 15 };

// Writes the records of `name`, each ended by a zero byte: the text of TXT records (their strings joined, RFC 7208 section 3.3), the
// hosts of MX records. Returns the number of bytes; 0 when there is no such record or name; -1 when no server answered or the answer
// is no answer. `server` is an IPv4 address to ask in place of the system's servers, or NULL.
int chost_records(const char *name, int type, const char *server, int port, char *out, int room);

// Writes the IPv4 address of this machine in a private network (RFC 1918, RFC 3927), as text with a zero byte: the one that packets to
// other networks leave by, else that of the first interface that is up. No packet is sent. Returns 0, or -1 when there is none.
int chost_local_address(char *out, int room);

// Unmaps the pages of the program and its libraries that only the start has needed. They are clean pages of files, which the system
// keeps in its cache while it has room; one that is needed again is mapped again, without a read. Does nothing where it cannot.
void chost_forget_start(void);

// How far the clock may be from the right time, in microseconds, when the network sets it; -1 when nothing sets it; -2 when the system
// cannot tell.
long chost_clock_error(void);
