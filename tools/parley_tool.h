/*
 * The command line tool: what its commands share.  All input and output,
 * the clock and random numbers are here; the library has none of them.
 */

#ifndef PARLEY_TOOL_H
#define PARLEY_TOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "translate/parley_engine.h"
#include "core/parley_error.h"
#include "gate/message/parley_gate.h"
#include "core/parley_json.h"
#include "auth/parley_jwk.h"
#include "core/parley_str.h"


#define PARLEY_EXIT_OK       0
#define PARLEY_EXIT_INVALID  1      /* a message, signature or token is bad */
#define PARLEY_EXIT_USAGE    2      /* the call is, or a file cannot be read */


typedef struct {
    const char  *name;          /* without "--"; NULL ends a table */
    char         letter;        /* 0: none */
    const char  *argument;      /* what the help calls it; NULL: a flag */
    const char  *help;          /* one line, or several */
    unsigned     multiple:1;    /* may be given more than once */
} parley_option_t;


typedef struct parley_tool_s  parley_tool_t;

typedef struct {
    const char             *name;       /* "token mint" */
    const char             *operands;   /* "[FILE...]", or "" */
    int                     min;        /* operands; max -1: any number */
    int                     max;
    const char             *summary;
    const char             *text;       /* more help, or NULL */
    const parley_option_t  *options;
    int                   (*run)(parley_tool_t *tool);
} parley_command_t;


typedef struct {
    const parley_option_t  *option;
    const char             *value;
} parley_given_t;


struct parley_tool_s {
    const parley_command_t  *command;
    parley_given_t          *given;
    size_t                   ngiven;
    char                   **operands;
    size_t                   noperands;

    parley_json_limits_t     limits;
    uint64_t                 seed;      /* for parley_json_read() */
    unsigned                 json:1;
    unsigned                 lines:1;

    parley_arena_t           arena;     /* lives as long as the run */
};


/* tables end with { NULL, 0, NULL, NULL, 0 } */
#define parley_option_end  { NULL, 0, NULL, NULL, 0 }

/* options that every command over messages has */
#define PARLEY_OPTIONS_INPUT                                                  \
    { "lines", 'n', NULL, "each line of the input is one message (NDJSON)",   \
      0 },                                                                    \
    { "limit", 0, "NAME=N", "a limit of the reader: body, string (octets,\n"  \
      "k or m may follow), depth, members", 1 },                              \
    { "json", 0, NULL, "one JSON object for each message on standard\n"       \
      "output, errors too", 0 }


/* parley_main.c */

/* ends with NULL */
extern const parley_command_t *const  parley_commands[];


/* parley_options.c: the command line, strictly */

extern const parley_option_t  parley_option_help;

/*
 * Reads the words behind the command.  Returns 0, or -1 after it has said on
 * standard error what is wrong.
 */
int parley_options_read(parley_tool_t *tool, int argc, char **argv);

/* the value of an option ("" for a flag), or NULL where it is not given */
const char *parley_option(const parley_tool_t *tool, const char *name);

/*
 * The same for one that may be given more often: start with *i zero; NULL
 * after the last.
 */
const char *parley_option_next(const parley_tool_t *tool, const char *name,
    size_t *i);

/* These functions return 0, or -1 after an error message about the value. */
int parley_option_integer(const char *name, const char *value, int64_t min,
    int64_t max, int64_t *ret);
/*
 * Reads seconds since 1970, an RFC 3339 timestamp, or a time from now_ms: +1h,
 * -30s.  now_ms and *ret_ms are milliseconds since 1970.
 */
int parley_option_time(const char *name, const char *value, int64_t now_ms,
    int64_t *ret_ms);

/* A number of seconds, or a time as directives have it: 30s, 1h30m. */
int parley_option_duration(const char *name, const char *value, int64_t min,
    int64_t max, int64_t *ret);
int parley_option_proto(const parley_tool_t *tool, const char *name,
    parley_proto_t *ret);
int parley_option_required(const parley_tool_t *tool, const char *name,
    const char **ret);


/* parley_help.c */

void parley_help_commands(void);
void parley_help_command(const parley_command_t *command);

/* Of the commands of two words that begin with that one; 0: there are none. */
int parley_help_group(const char *first);


/* parley_suggest.c: what a mistyped word may have been meant to be */

typedef struct {
    parley_str_t  word;
    parley_str_t  best;         /* empty: nothing is near enough */
    unsigned      distance;
} parley_suggest_t;

void parley_suggest_init(parley_suggest_t *s, parley_str_t word);

/* A word that there is, and what to suggest where it is the nearest. */
void parley_suggest_try(parley_suggest_t *s, parley_str_t word,
    parley_str_t means);


/* parley_version.c */

void parley_version(void);

/* With the libraries and the compiler. */
void parley_version_all(void);


/* parley_host.c: the machine */

int64_t parley_host_seconds(void);
int64_t parley_host_ms(void);

/* Ends the process where the system has no random octets. */
void parley_host_random(void *out, size_t len);


/* parley_say.c: messages to the person, on standard error */

/* "parley: ..." */
void parley_say(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* The same with a hint to --help; returns PARLEY_EXIT_USAGE. */
int parley_say_usage(const parley_tool_t *tool, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * "parley: PATH: line N: code /pointer: text"; text is that of the file at
 * path.
 */
void parley_say_error_in(const char *path, parley_str_t text,
    const parley_error_t *err);

/* "parley: SOURCE: code /pointer: text" */
void parley_say_error(const char *source, const parley_error_t *err);


/* parley_file.c; "-" is standard input */

/* NULL after it has said what is wrong. */
FILE *parley_file_open(const char *path);

/* Returns 0, or -1 after it has said what is wrong. */
int parley_file_close(FILE *file, const char *path);

/* At most max octets.  Returns 0, or -1 with errno. */
int parley_file_read(FILE *file, size_t max, parley_arena_t *arena,
    parley_str_t *ret);

/*
 * The octets of a file ("-": standard input) in tool->arena, at most max of
 * them.  Returns 0, or -1 after it has said what is wrong.
 */
int parley_file_whole(parley_tool_t *tool, const char *path, size_t max,
    parley_str_t *ret);

/*
 * A JWKS, or one JWK as a set of one.  Returns 0, or -1 after it has said
 * what is wrong.  parley_jwks_free() is the caller's.
 */
int parley_file_keys(parley_tool_t *tool, const char *path,
    parley_jwks_t *ret);

/* One JWK, private where that is asked for; otherwise the same. */
int parley_file_key(parley_tool_t *tool, const char *path, int is_private,
    parley_jwk_t *ret);


/* parley_input.c */

typedef struct {
    const char       *name;     /* of the file, or "stdin" */
    size_t            line;     /* from 1; 0: it is the whole input */
    parley_str_t      text;
    parley_arena_t   *arena;    /* for this message; empty again after it */
    parley_error_t    err;      /* for the handler's use */
} parley_input_t;

/* Returns an exit status; any output is its own. */
typedef int (*parley_input_pt)(parley_tool_t *tool, parley_input_t *in,
    void *ctx);

/*
 * Gives every message of the operands (standard input where there is none,
 * or where one is "-") to the handler: each file, or each line with -n.
 * Returns the worst exit status.
 */
int parley_input_each(parley_tool_t *tool, parley_input_pt handler,
    void *ctx);


/* parley_token.c */

#define PARLEY_OPTIONS_TOKEN                                                  \
    { "token", 0, "T", "the token itself, instead of a FILE with it (other\n" \
      "users of this machine may see it)", 0 },                               \
    { "token-file", 0, "FILE", "a file with the token, the same as FILE", 0 },\
    { "lines", 'n', NULL, "each line of the input is one token", 0 },         \
    { "json", 0, NULL, "one JSON object for each token on standard\n"         \
      "output, errors too", 0 }

/* The token of --token, or those of the input, as parley_input_each(). */
int parley_token_each(parley_tool_t *tool, parley_input_pt handler,
    void *ctx);

/*
 * That of --token-file or --token, for a command whose FILEs are messages;
 * *ret is empty where there is neither.  Returns 0, or -1: said.
 */
int parley_token_given(parley_tool_t *tool, parley_str_t *ret);

/* Without white space around it, and without "Bearer " before it. */
parley_str_t parley_token_trim(parley_str_t s);


/*
 * parley_show.c: writes text that others wrote, as a terminal may show it.
 * Control characters, and those that change the direction of text, become
 * "\u{202E}"; octets that are not UTF-8 become "\x9B".
 */
void parley_show(FILE *f, parley_str_t s);

/* Writes a JSON text with the same value: such characters in its strings become
   escapes of JSON, and its line breaks stay. */
void parley_show_json(FILE *f, parley_str_t s);

void parley_show_format(FILE *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void parley_show_args(FILE *f, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

/* parley_output.c */

/* Writes octets to standard output. */
void parley_output(parley_str_t s);

/* The same, and a newline. */
void parley_output_line(parley_str_t s);

/* As parley_output_line(), by parley_show_json(): for JSON that is not a
   message. */
void parley_output_json(parley_str_t s);

/* A value of a document as indented JSON; depth is the indentation so far. */
void parley_output_pretty(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node, unsigned depth);

/*
 * {"source":...,"line":...,"ok":...  for --json: the caller adds members and
 * calls parley_output_end(), which writes the object and a newline.
 */
void parley_output_begin(parley_buf_t *b, const parley_input_t *in, int ok);
void parley_output_end(parley_buf_t *b);

/* in->err, as --json says; returns PARLEY_EXIT_INVALID. */
int parley_output_error(const parley_tool_t *tool, parley_input_t *in);

/* Whether all that was written has arrived; says so where not. */
int parley_output_finish(void);


/* parley_message.c: what commands over messages have in common */

typedef struct {
    parley_engine_t  *engine;
    parley_proto_t    proto;    /* --as, --from; NONE: it is detected */
    int               partial;  /* AEE-13 */
    parley_json_t     doc;
    parley_msg_t      msg;
} parley_message_t;

/* The engine, and the protocol of an option.  Returns 0, or -1: said. */
int parley_message_init(parley_tool_t *tool, const char *option,
    parley_message_t *m);
void parley_message_free(parley_message_t *m);

/* Both fill in->err and return -1 on error. */
int parley_message_read(parley_tool_t *tool, parley_input_t *in,
    parley_json_t *doc);
int parley_message_decode(parley_tool_t *tool, parley_input_t *in,
    parley_message_t *m);

/*
 * The message of a file, for --answering.  Returns 0, or -1 after it has said
 * what is wrong; *ret then is NULL, as it is where path is.
 */
int parley_message_file(parley_tool_t *tool, const parley_engine_t *engine,
    const char *path, const parley_msg_t **ret);

/* "traceparent" of W3C, into opts.  Returns 0, or -1: said. */
int parley_message_trace(parley_tool_t *tool, parley_encode_opts_t *opts);

/* tool->command's --answering and --traceparent */
#define PARLEY_OPTIONS_ENCODE                                                 \
    { "answering", 0, "FILE", "the message that this one answers, as it was\n"\
      "sent, where a gateway would remember it", 0 },                         \
    { "traceparent", 0, "T", "of the request that brings the message", 0 }


/* parley_submission.c */

#define PARLEY_OPTIONS_SUBMISSION                                             \
    { "sender", 0, "NAME", "who submits the message, where it does not say\n" \
      "so itself (MoQ)", 0 },                                                 \
    { "recipient", 0, "NAME", "whom it came for, likewise", 0 },              \
    { "scope", 0, "S", "the scope it is submitted with (agent-channel)", 0 }, \
    { "session", 0, "HEX", "the Session ID of its frame (MoQ)", 0 },          \
    { "stream", 0, "N", "the Stream ID of its frame (MoQ)", 0 },              \
    { "time", 0, "WHEN", "when it came (default: now)", 0 }

/* Returns 0, or -1 after it has said what is wrong. */
int parley_submission_read(parley_tool_t *tool, parley_submission_t *ret);


/* the commands */

extern const parley_command_t  parley_cmd_audit_verify;
extern const parley_command_t  parley_cmd_hold_list;
extern const parley_command_t  parley_cmd_hold_lift;
extern const parley_command_t  parley_cmd_canon;
extern const parley_command_t  parley_cmd_detect;
extern const parley_command_t  parley_cmd_explain;
extern const parley_command_t  parley_cmd_frame_decode;
extern const parley_command_t  parley_cmd_frame_encode;
extern const parley_command_t  parley_cmd_jwks;
extern const parley_command_t  parley_cmd_keygen;
extern const parley_command_t  parley_cmd_sign;
extern const parley_command_t  parley_cmd_token_inspect;
extern const parley_command_t  parley_cmd_token_mint;
extern const parley_command_t  parley_cmd_token_verify;
extern const parley_command_t  parley_cmd_translate;
extern const parley_command_t  parley_cmd_uuid;
extern const parley_command_t  parley_cmd_validate;
extern const parley_command_t  parley_cmd_verify;


#endif /* PARLEY_TOOL_H */
