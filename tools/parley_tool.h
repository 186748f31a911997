/*
 * The command line tool: functions that its commands share.  All input and
 * output, the clock and random numbers are here; the library has none of them.
 */

#ifndef PARLEY_TOOL_H
#define PARLEY_TOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "auth/parley_directory.h"
#include "translate/parley_engine.h"
#include "core/parley_error.h"
#include "gate/message/parley_gate.h"
#include "core/parley_json.h"
#include "auth/parley_jwk.h"
#include "core/parley_str.h"


#define PARLEY_EXIT_OK       0
#define PARLEY_EXIT_INVALID  1      /* a message, signature or token is bad */
#define PARLEY_EXIT_USAGE    2      /* the call is wrong, or a file cannot be
                                       read */


typedef struct {
    const char  *name;          /* without "--"; NULL ends a table */
    char         letter;        /* 0: none */
    const char  *argument;      /* name of the value in the help; NULL: a
                                   flag */
    const char  *help;          /* one line, or several */
    unsigned     multiple:1;    /* may be given more than once */
} parley_option_t;


typedef struct parley_tool_s  parley_tool_t;

typedef struct {
    const char             *name;       /* "token mint" */
    const char             *operands;   /* "[FILE...]", or "" */
    int                     min;        /* number of operands; max -1:
                                           unlimited */
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

    parley_arena_t           arena;     /* lives until the process ends */
};


/* tables end with { NULL, 0, NULL, NULL, 0 } */
#define tool_option_end  { NULL, 0, NULL, NULL, 0 }

/* options of every command for messages */
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


/* parley_options.c: the command line, read strictly */

extern const parley_option_t  parley_option_help;

/*
 * Reads the words after the command.  Returns 0, or -1 after an error message.
 */
int tool_options_read(parley_tool_t *tool, int argc, char **argv);

/* Returns the value of an option ("" for a flag), or NULL if it is missing. */
const char *tool_option(const parley_tool_t *tool, const char *name);

/*
 * Returns the next value of an option that may be repeated, or NULL after the
 * last one.  *i must be zero at first.
 */
const char *tool_option_next(const parley_tool_t *tool, const char *name,
    size_t *i);

/* These functions return 0, or -1 after an error message about the value. */
int tool_option_integer(const char *name, const char *value, int64_t min,
    int64_t max, int64_t *ret);
/*
 * Reads seconds since 1970, an RFC 3339 timestamp, or a time relative to
 * now_ms: +1h, -30s.  now_ms and *ret_ms are milliseconds since 1970.
 */
int tool_option_time(const char *name, const char *value, int64_t now_ms,
    int64_t *ret_ms);

/* Reads a number of seconds, or a time as directives have it: 30s, 1h30m. */
int tool_option_duration(const char *name, const char *value, int64_t min,
    int64_t max, int64_t *ret);
int tool_option_proto(const parley_tool_t *tool, const char *name,
    parley_proto_t *ret);
int tool_option_required(const parley_tool_t *tool, const char *name,
    const char **ret);


/* parley_help.c */

void tool_help_commands(void);
void tool_help_command(const parley_command_t *command);

/*
 * Prints the commands of two words that begin with that word.  Returns 0 if
 * there are none.
 */
int tool_help_group(const char *first);


/* parley_suggest.c: suggestions for a mistyped word */

typedef struct {
    parley_str_t  word;
    parley_str_t  best;         /* empty: no similar word */
    unsigned      distance;
} parley_suggest_t;

void tool_suggest_init(parley_suggest_t *s, parley_str_t word);

/*
 * Compares an existing word.  If it is the nearest so far, means becomes the
 * suggestion.
 */
void tool_suggest_try(parley_suggest_t *s, parley_str_t word,
    parley_str_t means);


/* parley_version.c */

void tool_version(void);

/* Prints the versions of the libraries and the compiler too. */
void tool_version_all(void);


/* parley_host.c: the machine */

int64_t tool_host_seconds(void);
int64_t tool_host_ms(void);

/* Ends the process if the system has no random octets. */
void tool_host_random(void *out, size_t len);


/* parley_say.c: messages to the user, on standard error */

/* "parley: ..." */
void tool_say(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* Prints the message with a hint to --help; returns PARLEY_EXIT_USAGE. */
int tool_say_usage(const parley_tool_t *tool, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * "parley: PATH: line N: code /pointer: text"; text is the content of the
 * file.
 */
void tool_say_error_in(const char *path, parley_str_t text,
    const parley_error_t *err);

/* "parley: SOURCE: code /pointer: text" */
void tool_say_error(const char *source, const parley_error_t *err);


/* parley_file.c; "-" is standard input */

/* Returns NULL after an error message. */
FILE *tool_file_open(const char *path);

/* Returns 0, or -1 after an error message. */
int tool_file_close(FILE *file, const char *path);

/* Reads at most max octets.  Returns 0, or -1 with errno. */
int tool_file_read(FILE *file, size_t max, parley_arena_t *arena,
    parley_str_t *ret);

/*
 * Reads a file ("-": standard input) into tool->arena, at most max octets.
 * Returns 0, or -1 after an error message.
 */
int tool_file_whole(parley_tool_t *tool, const char *path, size_t max,
    parley_str_t *ret);

/*
 * Reads a JWKS, or one JWK as a set of one.  Returns 0, or -1 after an error
 * message.  The caller calls parley_jwks_free().
 */
int tool_file_keys(parley_tool_t *tool, const char *path,
    parley_jwks_t *ret);

/*
 * Reads one JWK, which must be private if is_private is set.  Returns as
 * tool_file_keys().
 */
int tool_file_key(parley_tool_t *tool, const char *path, int is_private,
    parley_jwk_t *ret);


/*
 * Reads an identities file.  Returns 0, or -1 after an error message.  The
 * caller calls parley_directory_free().
 */
int tool_file_identities(parley_tool_t *tool, const char *path,
    parley_directory_t **ret);


/* parley_input.c */

typedef struct {
    const char       *name;     /* of the file, or "stdin" */
    size_t            line;     /* from 1; 0: the whole input */
    parley_str_t      text;
    parley_arena_t   *arena;    /* for this message; reset after it */
    parley_error_t    err;      /* for the handler's use */
} parley_input_t;

/* Returns an exit status.  The handler writes its own output. */
typedef int (*parley_input_pt)(parley_tool_t *tool, parley_input_t *in,
    void *ctx);

/*
 * Passes each message of the operands to the handler: each file, or each line
 * with -n.  No operand and "-" mean standard input.  Returns the worst exit
 * status.
 */
int tool_input_each(parley_tool_t *tool, parley_input_pt handler,
    void *ctx);


/* parley_token.c */

#define PARLEY_OPTIONS_TOKEN                                                  \
    { "token", 0, "T", "the token itself, instead of a FILE with it (other\n" \
      "users of this machine may see it)", 0 },                               \
    { "token-file", 0, "FILE", "a file with the token, the same as FILE", 0 },\
    { "lines", 'n', NULL, "each line of the input is one token", 0 },         \
    { "json", 0, NULL, "one JSON object for each token on standard\n"         \
      "output, errors too", 0 }

/*
 * Passes the token of --token, or the tokens of the input, to the handler, as
 * tool_input_each().
 */
int tool_token_each(parley_tool_t *tool, parley_input_pt handler,
    void *ctx);

/*
 * Returns the token of --token-file or --token, for a command whose FILEs are
 * messages; *ret is empty without either.  Returns 0, or -1 after an error
 * message.
 */
int tool_token_given(parley_tool_t *tool, parley_str_t *ret);

/* Returns the token without white space around it and "Bearer " before it. */
parley_str_t tool_token_trim(parley_str_t s);


/*
 * parley_show.c: writes foreign text in a form that is safe for a terminal.
 * Control characters, and those that change the direction of text, become
 * "\u{202E}"; octets that are not UTF-8 become "\x9B".
 */
void tool_show(FILE *f, parley_str_t s);

/*
 * Writes a JSON text with the same value: such characters in its strings
 * become escapes of JSON, and its line breaks stay.
 */
void tool_show_json(FILE *f, parley_str_t s);

/* Returns whether s is UTF-8 that is the same after it was a string of JSON. */
int tool_show_is_text(parley_str_t s);

void tool_show_format(FILE *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void tool_show_args(FILE *f, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

/* parley_output.c */

/* Writes octets to standard output. */
void tool_output(parley_str_t s);

/* Writes octets and a newline to standard output. */
void tool_output_line(parley_str_t s);

/*
 * As tool_output_line(), through tool_show_json(): for JSON that is not a
 * message.
 */
void tool_output_json(parley_str_t s);

/*
 * Appends a value of a document as indented JSON; depth is the indentation of
 * the value.
 */
void tool_output_pretty(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node, unsigned depth);

/*
 * Begins {"source":...,"line":...,"ok":...  for --json.  The caller adds
 * members and calls tool_output_end(), which writes the object and a
 * newline.
 */
void tool_output_begin(parley_buf_t *b, const parley_input_t *in, int ok);
void tool_output_end(parley_buf_t *b);

/*
 * Prints in->err, in the form that --json selects; returns
 * PARLEY_EXIT_INVALID.
 */
int tool_output_error(const parley_tool_t *tool, parley_input_t *in);

/* Returns whether all output was written; prints an error if not. */
int tool_output_finish(void);


/* parley_message.c: functions that the commands for messages share */

typedef struct {
    parley_engine_t  *engine;
    parley_proto_t    proto;    /* --as, --from; NONE: detect it */
    int               partial;  /* AEE-13 */
    parley_json_t     doc;
    parley_msg_t      msg;
} parley_message_t;

/*
 * Creates the engine and reads the protocol of an option.  Returns 0, or -1
 * after an error message.
 */
int tool_message_init(parley_tool_t *tool, const char *option,
    parley_message_t *m);
void tool_message_free(parley_message_t *m);

/* Both functions fill in->err and return -1 on error. */
int tool_message_read(parley_tool_t *tool, parley_input_t *in,
    parley_json_t *doc);
int tool_message_decode(parley_tool_t *tool, parley_input_t *in,
    parley_message_t *m);

/*
 * Reads the message of a file, for --answering.  *ret is NULL if path is NULL.
 * Returns 0, or -1 after an error message with *ret NULL.
 */
int tool_message_file(parley_tool_t *tool, const parley_engine_t *engine,
    const char *path, const parley_msg_t **ret);

/*
 * Reads --traceparent (W3C) into opts.  Returns 0, or -1 after an error
 * message.
 */
int tool_message_trace(parley_tool_t *tool, parley_encode_opts_t *opts);

/* options --answering and --traceparent */
#define PARLEY_OPTIONS_ENCODE                                                 \
    { "answering", 0, "FILE", "the message that this one answers, as it was\n"\
      "sent; a gateway has it in its state", 0 },                             \
    { "traceparent", 0, "T", "of the request that brings the message", 0 }


/* parley_submission.c */

#define PARLEY_OPTIONS_SUBMISSION                                             \
    { "sender", 0, "NAME", "the principal that submits the message, if the\n" \
      "message has no sender (MoQ)", 0 },                                     \
    { "recipient", 0, "NAME", "its recipient, if the message has none", 0 },  \
    { "scope", 0, "S", "the scope it is submitted with (agent-channel)", 0 }, \
    { "session", 0, "HEX", "the Session ID of its frame (MoQ)", 0 },          \
    { "stream", 0, "N", "the Stream ID of its frame (MoQ)", 0 },              \
    { "time", 0, "WHEN", "when it came (default: now)", 0 }

/* Returns 0, or -1 after an error message. */
int tool_submission_read(parley_tool_t *tool, parley_submission_t *ret);


/* the commands */

extern const parley_command_t  parley_cmd_attention;
extern const parley_command_t  parley_cmd_audit_verify;
extern const parley_command_t  parley_cmd_hold_list;
extern const parley_command_t  parley_cmd_hold_lift;
extern const parley_command_t  parley_cmd_canon;
extern const parley_command_t  parley_cmd_detect;
extern const parley_command_t  parley_cmd_explain;
extern const parley_command_t  parley_cmd_frame_decode;
extern const parley_command_t  parley_cmd_frame_encode;
extern const parley_command_t  parley_cmd_jwks;
extern const parley_command_t  parley_cmd_keys_store;
extern const parley_command_t  parley_cmd_keygen;
extern const parley_command_t  parley_cmd_moq_decode;
extern const parley_command_t  parley_cmd_moq_encode;
extern const parley_command_t  parley_cmd_sign;
extern const parley_command_t  parley_cmd_store_acl;
extern const parley_command_t  parley_cmd_token_inspect;
extern const parley_command_t  parley_cmd_token_mint;
extern const parley_command_t  parley_cmd_token_verify;
extern const parley_command_t  parley_cmd_translate;
extern const parley_command_t  parley_cmd_uuid;
extern const parley_command_t  parley_cmd_validate;
extern const parley_command_t  parley_cmd_verify;


#endif /* PARLEY_TOOL_H */
