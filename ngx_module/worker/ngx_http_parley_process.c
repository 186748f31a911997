
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Processes of the host: which one this is, and whether another still lives.
 * A process id alone is soon another's: when a process began tells them apart.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_state.h"

#include <signal.h>


#define NGX_HTTP_PARLEY_STAT_MAX    1024

/* of proc(5)'s stat: fields after the command's closing parenthesis */
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


/* one that was not reaped yet is gone all the same */

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


/* NGX_DECLINED: the host has no such file, or does not show it */

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

    /* the command's name may hold anything */

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
