#define _GNU_SOURCE
#include "CHost.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#endif

#ifdef __linux__
static int is_sealed(const struct statfs *system) {
    return (system->f_type == TMPFS_MAGIC || system->f_type == RAMFS_MAGIC) && (system->f_flags & ST_RDONLY) != 0;
}
#endif

int chost_file_at(const char *path, struct chost_file *file) {
    struct stat facts;
    if (stat(path, &facts) != 0) return -1;
    *file = (struct chost_file){facts.st_mode, facts.st_uid, 0};
#ifdef __linux__
    struct statfs system;
    file->isSealed = statfs(path, &system) == 0 && is_sealed(&system);
#endif
    return 0;
}

int chost_file_of(int descriptor, struct chost_file *file) {
    struct stat facts;
    if (fstat(descriptor, &facts) != 0) return -1;
    *file = (struct chost_file){facts.st_mode, facts.st_uid, 0};
#ifdef __linux__
    struct statfs system;
    file->isSealed = fstatfs(descriptor, &system) == 0 && is_sealed(&system);
#endif
    return 0;
}

int chost_records(const char *name, int type, const char *server, int port, char *out, int room) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1;
    state.retrans = 2;
    state.retry = 2;
    // Long answers by UDP.
    state.options |= RES_USE_EDNS0;
    if (server != NULL) {
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons((unsigned short)port);
        if (inet_pton(AF_INET, server, &address.sin_addr) != 1) {
            res_nclose(&state);
            return -1;
        }
        state.nscount = 1;
        state.nsaddr_list[0] = address;
    }
    unsigned char answer[65535];
    int length = res_nquery(&state, name, ns_c_in, type, answer, sizeof answer);
    int cause = state.res_h_errno;
    res_nclose(&state);
    if (length < 0) return cause == HOST_NOT_FOUND || cause == NO_DATA ? 0 : -1;

    if (length > (int)sizeof answer) return -1;
    ns_msg message;
    if (ns_initparse(answer, length, &message) != 0) return -1;
    int used = 0;
    for (int index = 0; index < ns_msg_count(message, ns_s_an); index++) {
        ns_rr record;
        if (ns_parserr(&message, ns_s_an, index, &record) != 0) return -1;
        if (ns_rr_type(record) != type) continue;
        const unsigned char *data = ns_rr_rdata(record), *end = data + ns_rr_rdlen(record);
        if (type == CHOST_MAIL) {
            char host[NS_MAXDNAME];
            if (end - data < 3 || dn_expand(ns_msg_base(message), ns_msg_end(message), data + 2, host, sizeof host) < 0) return -1;
            int count = (int)strlen(host) + 1;
            if (used + count > room) return -1;
            memcpy(out + used, host, count);
            used += count;
            continue;
        }
        while (data < end) {
            int count = *data++;
            if (count > end - data || used + count >= room) return -1;
            for (; count > 0; count--, data++) out[used++] = *data == 0 ? ' ' : (char)*data;
        }
        if (used >= room) return -1;
        out[used++] = 0;
    }
    return used;
}

static int is_private(struct in_addr address) {
    unsigned int number = ntohl(address.s_addr);
    return number >> 24 == 10 || number >> 20 == 0xAC1 || number >> 16 == 0xC0A8 || number >> 16 == 0xA9FE;
}

int chost_local_address(char *out, int room) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    // TEST-NET-1 (RFC 5737). Connecting a datagram socket only chooses the route.
    address.sin_addr.s_addr = htonl(0xC0000201);
    int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    if (descriptor >= 0) {
        socklen_t size = sizeof address;
        int is_chosen = connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
                        getsockname(descriptor, (struct sockaddr *)&address, &size) == 0 && is_private(address.sin_addr);
        close(descriptor);
        if (is_chosen) return inet_ntop(AF_INET, &address.sin_addr, out, (socklen_t)room) == NULL ? -1 : 0;
    }
    struct ifaddrs *first;
    if (getifaddrs(&first) != 0) return -1;
    int result = -1;
    for (struct ifaddrs *next = first; next != NULL && result != 0; next = next->ifa_next) {
        unsigned int wanted = IFF_UP | IFF_RUNNING;
        if (next->ifa_addr == NULL || next->ifa_addr->sa_family != AF_INET || (next->ifa_flags & wanted) != wanted) continue;
        struct in_addr found = ((struct sockaddr_in *)next->ifa_addr)->sin_addr;
        if (is_private(found) && inet_ntop(AF_INET, &found, out, (socklen_t)room) != NULL) result = 0;
    }
    freeifaddrs(first);
    return result;
}

#ifdef __linux__
// Parts that are never written have no page of their own. In others the loader has written addresses, which the file does not have.
static int forget_parts(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    unsigned long page = *(unsigned long *)context;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W) != 0) continue;
        unsigned long begin = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
        unsigned long end = (object->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(page - 1);
        if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 0;
}
#endif

void chost_forget_start(void) {
#ifdef __linux__
    unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(forget_parts, &page);
#endif
}

long chost_clock_error(void) {
#ifdef __linux__
    struct timex clock;
    memset(&clock, 0, sizeof clock);
    int state = adjtimex(&clock);
    if (state < 0) return -2;
    return state == TIME_ERROR || (clock.status & STA_UNSYNC) ? -1 : clock.maxerror;
#else
    return -2;
#endif
}
