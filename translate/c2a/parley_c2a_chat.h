/*
 * Chat in the words of C2A: the functions of parley_c2a_chat, in several files.
 * Private to them.  The contracts are those of parley_chat_t.
 */

#ifndef PARLEY_C2A_CHAT_H
#define PARLEY_C2A_CHAT_H

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_chat.h"


#define PARLEY_C2A_MENTIONS  "/params/target/mentions"

/* words, by the values of their enumerations */
extern const parley_str_t  parley_c2a_directednesses[];
extern const parley_str_t  parley_c2a_policy_words[];
extern const parley_str_t  parley_c2a_modes[];
extern const parley_str_t  parley_c2a_kinds[];
extern const parley_str_t  parley_c2a_reasons[];

/* Reads a valid submission. */
int parley_c2a_chat_event(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

int parley_c2a_chat_written(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *ret, parley_str_t *author, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads an array of names, which may be PARLEY_JSON_NONE, without repetitions.
 * Returns 0; or -1: field-invalid at field (too many), or capacity.
 */
int parley_c2a_chat_mentions(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t list, const char *field, const parley_chat_target_t **ret,
    unsigned *ret_n, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Reads notifications/progress.  at has its places.  Returns 0, or -1: no
   memory. */
int parley_c2a_progress_call(const parley_json_t *doc, const uint32_t *at,
    parley_chat_call_t *ret)
    __attribute__((warn_unused_result));

/* Write progress as an object, and as "2 of 5". */
void parley_c2a_progress_data(parley_buf_t *b,
    const parley_chat_progress_t *progress);
void parley_c2a_progress_text(parley_buf_t *b,
    const parley_chat_progress_t *progress);

/* Returns the index of a word; absent if value is NONE, or another word. */
unsigned parley_c2a_chat_word(const parley_json_t *doc, uint32_t value,
    const parley_str_t *words, unsigned n, unsigned absent);

int parley_c2a_chat_call(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_call_t *ret, parley_error_t *err);

void parley_c2a_view(parley_buf_t *b, const parley_chat_view_t *view);
void parley_c2a_view_digest(parley_buf_t *b,
    const parley_chat_digest_t *digest);
void parley_c2a_view_cancel(parley_buf_t *b, const parley_chat_offer_t *offer,
    parley_chat_reason_t reason);
void parley_c2a_view_post(parley_buf_t *b, const parley_chat_post_t *post);
int parley_c2a_view_progress(const parley_json_t *doc,
    parley_chat_progress_t *ret);
uint32_t parley_c2a_view_tag(parley_str_t id, parley_str_t reader,
    parley_str_t source);

/* values of the lines before the text of an event; empty: no line */
typedef struct {
    parley_str_t  id;
    parley_str_t  kind;
    parley_str_t  conversation;
    parley_str_t  thread;
    parley_str_t  author_kind;
    parley_str_t  author;
    parley_str_t  directedness;
    parley_str_t  policy;
    parley_str_t  reason;
    parley_str_t  in_reply_to;
    parley_str_t  of;           /* event that this one is about */
    parley_str_t  act;          /* on it: "change" or "reaction", */
    parley_str_t  acts;         /* and its word */
} parley_c2a_heads_t;

/* Writes "C2A EVENT", the lines, and the line MESSAGE or KNOCK. */
void parley_c2a_render_heads(parley_buf_t *b, const parley_c2a_heads_t *heads,
    int knock);

/* Writes foreign text, whose lines cannot be taken for those of the event. */
void parley_c2a_render_text(parley_buf_t *b, parley_str_t text);

/* Writes the text of a view for a model, as render() of the codec does. */
void parley_c2a_view_render(parley_buf_t *b, const parley_chat_view_t *view);

/* octets of "#<attempt>.<tag>" and a NUL */
#define PARLEY_C2A_VIEW_OFFER  24

/* Writes the beginning of a request up to its params. */
void parley_c2a_view_begin(parley_buf_t *b, parley_str_t id,
    parley_str_t reader, parley_str_t source, unsigned attempt);

/* Writes the author as a member, with a displayName if title has a value. */
void parley_c2a_view_author(parley_buf_t *b, parley_str_t name,
    parley_json_ref_t title);

/* Writes an id percent-encoded: no octet could make it text (C2A-06). */
void parley_c2a_view_encoded(parley_buf_t *b, parley_str_t s);

/* Write members: names; a value of doc unless it is NONE; a text unless it is
   empty; a time. */
void parley_c2a_view_names(parley_buf_t *b, parley_str_t name,
    const parley_str_t *names, unsigned n);
void parley_c2a_view_raw(parley_buf_t *b, parley_str_t name,
    const parley_json_t *doc, uint32_t value);
void parley_c2a_view_given(parley_buf_t *b, parley_str_t name,
    parley_str_t value);
void parley_c2a_view_time(parley_buf_t *b, parley_str_t name, int64_t ms);

/* Writes the change or the reaction in params of doc as a member.  A knock has
   its ids and its signal. */
void parley_c2a_view_act(parley_buf_t *b, const parley_chat_view_t *view,
    const parley_json_t *doc, uint32_t params, int knock);

/* Fills the lines about an earlier event.  *ret is the text of a reaction,
   which may be foreign. */
void parley_c2a_view_act_heads(parley_buf_t *b, const parley_chat_view_t *view,
    const parley_json_t *doc, uint32_t params, parley_c2a_heads_t *heads,
    parley_str_t *ret);

/* Writes a place as an object: {"id", "kind", "source"}. */
void parley_c2a_view_place(parley_buf_t *b, const parley_chat_place_t *place);

int parley_c2a_chat_answer(parley_arena_t *arena,
    const parley_chat_call_t *call, const parley_chat_result_t *result,
    parley_reply_t *ret);

/* Adds the facts of a refusal.  Returns 0, or -1: no memory. */
int parley_c2a_chat_refused(parley_arena_t *arena,
    const parley_chat_refused_t *refused, struct parley_mcp_why_s *ret);

int parley_c2a_session_write(const parley_chat_session_t *session,
    parley_str_t sub, char ret[PARLEY_CHAT_SESSION_MAX]);
int parley_c2a_session_read(parley_str_t text, parley_str_t sub,
    parley_chat_session_t *ret);


#endif /* PARLEY_C2A_CHAT_H */
