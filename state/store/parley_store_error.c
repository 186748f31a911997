/*
 * Errors of the engine, lines of the log, and the timer.  A line has words of
 * the engine only through parley_store_words().
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_WORDS  160      /* octets of the engine in a line */
#define PARLEY_STORE_SHOWN  8        /* octets of the password that are not
                                        logged */

#define PARLEY_STORE_ACL                                                      \
    "give the user the rules that \"parley store acl\" prints"


/* errors of the engine, by their first word */
static const struct {
    const char            *word;
    unsigned               crit:1;      /* the operator must change something */
    unsigned               whole:1;     /* the line has the whole error */
    const char            *cure;
} parley_store_errors[] = {
    { "NOREPLICAS", 0, 0, "too few replicas; see min-replicas-to-write" },
    { "MISCONF", 0, 0, "it cannot write its disk" },
    { "LOADING", 0, 0, "it reads its data" },
    { "BUSY", 0, 0, "a script of another client runs" },
    { "READONLY", 0, 0, "it is a replica" },
    { "MASTERDOWN", 0, 0, "it is a replica without a primary" },
    { "ERR Function not found", 0, 0, "its functions are loaded again" },
    { "NOAUTH", 1, 0, "set user= and password= of parley_store" },
    { "WRONGPASS", 1, 0, "correct user= and password= of parley_store" },
    { "NOPERM", 1, 1, PARLEY_STORE_ACL },
    { "ERR The user executing the script", 1, 1, PARLEY_STORE_ACL },
    { "ERR ACL failure in script:", 1, 1, PARLEY_STORE_ACL },
    { "PARLEYPERM", 1, 1, PARLEY_STORE_ACL },
    { "PARLEYKEY", 1, 0, "its data was written with another key=; use that "
                         "key, or another prefix=" },
    { "PARLEYFORMAT", 1, 1, "another version of Parley has written this "
                            "format; upgrade one version at a time, or use "
                            "another prefix=" },
};


void
parley_store_timer_at(parley_store_t *s, int64_t at)
{
    int64_t  now;

    if (s->timer != 0 && s->timer <= at) {
        return;
    }

    now = s->env->now(s->env->ctx);

    s->timer = at;
    s->env->timer(s->env->ctx, at > now ? at - now : 1);
}


void
parley_store_failed(parley_store_connection_t *c, const char *why)
{
    if (c->why[0] == '\0') {
        (void) snprintf(c->why, sizeof(c->why), "%.*s",
                        (int) sizeof(c->why) - 1, why);
    }
}


void
parley_store_fail(parley_store_t *s, const char *why)
{
    parley_store_failed(&s->main, why);
}


void
parley_store_strange(parley_store_t *s, const char *command)
{
    char  why[80];

    (void) snprintf(why, sizeof(why), "the reply to %s has another form",
                    command);
    parley_store_fail(s, why);
}


void
parley_store_unusable(parley_store_t *s, const char *format, ...)
{
    char     text[512];
    va_list  arguments;

    va_start(arguments, format);
    (void) vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);

    parley_store_log(s, PARLEY_STORE_CRIT, "the store is not used: %s", text);

    s->unusable = 1;
    s->main.pause = PARLEY_STORE_PAUSE_MAX;
    parley_store_fail(s, text);
}


/* An engine without AUTH repeats its arguments in the error, or a part. */

parley_str_t
parley_store_words(const parley_store_t *s, parley_str_t text)
{
    size_t        len;
    parley_str_t  rest;

    len = s->conf->password.len;
    len = len < PARLEY_STORE_SHOWN ? len : PARLEY_STORE_SHOWN;

    for (rest = text; rest.len >= len && len != 0;
         rest = parley_str_from(rest, 1))
    {
        if (memcmp(rest.data, s->conf->password.data, len) == 0) {
            return PARLEY_STR("(the words have the password, and are not "
                              "shown)");
        }
    }

    return parley_str_make(text.data, text.len < PARLEY_STORE_WORDS
                                      ? text.len : PARLEY_STORE_WORDS);
}


void
parley_store_call_refused(parley_store_t *s, parley_str_t error)
{
    parley_str_t  word;

    word = parley_str_until(error, ' ');

    if (parley_str_is(word, "OOM")) {
        return;
    }

    if (parley_str_is(word, "WRONGTYPE")) {
        parley_store_foreign(s);
        return;
    }

    error = parley_store_words(s, error);

    parley_store_log(s, PARLEY_STORE_ERROR, "the engine refuses a call: %.*s",
                     (int) error.len, (const char *) error.data);
}


void
parley_store_foreign(parley_store_t *s)
{
    parley_store_log(s, PARLEY_STORE_CRIT, "a key below \"%.*s\" is not "
                     "Parley's; remove it, or use another prefix=",
                     (int) s->prefix_len, s->prefix);
}


int
parley_store_error(parley_store_t *s, parley_str_t error)
{
    size_t        i, len;
    char          why[256];
    parley_str_t  words;

    for (i = 0; i < sizeof(parley_store_errors)
                    / sizeof(parley_store_errors[0]); i++)
    {
        len = strlen(parley_store_errors[i].word);

        if (error.len < len
            || memcmp(error.data, parley_store_errors[i].word, len) != 0
            || (error.len > len && error.data[len] != ' '))
        {
            continue;
        }

        words = parley_str_make(error.data, len);

        if (parley_store_errors[i].whole) {
            words = parley_store_words(s, error);
            words.len -= words.data[words.len - 1] == '.';
        }

        (void) snprintf(why, sizeof(why), "%.*s: %s", (int) words.len,
                        (const char *) words.data,
                        parley_store_errors[i].cure);

        if (parley_store_errors[i].crit) {
            parley_store_unusable(s, "%s", why);

        } else {
            parley_store_fail(s, why);
        }

        return 0;
    }

    return 1;
}


void
parley_store_log(parley_store_t *s, parley_store_level_t level,
    const char *format, ...)
{
    char     text[640];
    size_t   i;
    va_list  arguments;

    va_start(arguments, format);
    (void) vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);

    /* the engine's words may have control characters */

    for (i = 0; text[i] != '\0'; i++) {
        if ((uint8_t) text[i] < ' ' || (uint8_t) text[i] >= 0x7f) {
            text[i] = '?';
        }
    }

    s->env->log(s->env->ctx, level, text);
}
