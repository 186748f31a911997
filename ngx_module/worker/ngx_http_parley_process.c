
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Processes of the host: the id of this process, and whether another process
 * is alive.  The system reuses process ids, so the start time is part of the
 * id.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_process.h"

#include <signal.h>


#define NGX_HTTP_PARLEY_STAT_MAX    1024

/* fields in proc(5)'s stat after the command's closing parenthesis */
#define NGX_HTTP_PARLEY_STAT_STATE  1
#define NGX_HTTP_PARLEY_STAT_BEGAN  20


static ngx_int_t ngx_http_parley_process_stat(uint32_t pid, u_char *state,
    uint64_t *began);


const parley_processes_t  ngx_http_parley_processes = {
    ngx_http_parley_process_is_alive,
    NULL
};


void
ngx_http_parley_process_self(parley_process_t *ret)
{
    u_char  state;

    ret->pid = (uint32_t) ngx_pid;

    if (ngx_http_parley_process_stat(ret->pid, &state, &ret->began) != NGX_OK)
    {
        ret->began = 0;
    }
}


/* A process that has ended and is not reaped yet is not alive. */

int
ngx_http_parley_process_is_alive(void *ctx, const parley_process_t *process)
{
    u_char    state;
    uint64_t  began;

    if (kill((pid_t) process->pid, 0) == -1 && ngx_errno == NGX_ESRCH) {
        return 0;
    }

    if (ngx_http_parley_process_stat(process->pid, &state, &began) != NGX_OK) {
        return 1;
    }

    if (state == 'Z' || state == 'X') {
        return 0;
    }

    return process->began == 0 || began == process->began;
}


/* Returns NGX_DECLINED if the host does not have or show the file. */

static ngx_int_t
ngx_http_parley_process_stat(uint32_t pid, u_char *state, uint64_t *began)
{
    int         fd;
    u_char     *p, *last, name[sizeof("/proc//stat") + NGX_INT32_LEN];
    u_char      text[NGX_HTTP_PARLEY_STAT_MAX];
    ssize_t     n;
    ngx_uint_t  field;

    (void) ngx_sprintf(name, "/proc/%uD/stat%Z", pid);

    fd = open((char *) name, O_RDONLY|O_CLOEXEC);
    if (fd == -1) {
        return NGX_DECLINED;
    }

    n = read(fd, text, sizeof(text));
    (void) close(fd);

    if (n <= 0) {
        return NGX_DECLINED;
    }

    /* the name of the command may contain any octet */

    last = text + n;

    for (p = last; p > text && p[-1] != ')'; p--) { /* void */ }

    for (field = 0; p < last; p++) {

        if (*p != ' ') {
            continue;
        }

        field++;

        if (p + 1 == last) {
            break;
        }

        if (field == NGX_HTTP_PARLEY_STAT_STATE) {
            *state = p[1];

        } else if (field == NGX_HTTP_PARLEY_STAT_BEGAN) {

            for (*began = 0, p++; p < last && *p >= '0' && *p <= '9'; p++) {
                *began = *began * 10 + (*p - '0');
            }

            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}
