/*
 * parley moq: control messages and data streams of MoQ Transport as lines of
 * JSON.  Names of members are those of the draft, in lower case with "_".
 */

#ifndef PARLEY_TOOL_MOQ_H
#define PARLEY_TOOL_MOQ_H

#include "core/parley_buf.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "moqt/parley_moqt_data.h"
#include "moqt/parley_moqt_message.h"


#define PARLEY_MOQ_MEMBER_MAX  48       /* octets of a member's name */


/* Writes the name of a field as the name of a member: "track_namespace". */
void tool_moq_member(const char *name, char ret[PARLEY_MOQ_MEMBER_MAX]);

/*
 * Append an object of JSON without a newline.  The octets of a payload are a
 * member of its object only if they are whole.
 */
void tool_moq_show_message(parley_buf_t *b, const parley_moqt_draft_t *draft,
    const parley_moqt_message_t *m);
void tool_moq_show_stream(parley_buf_t *b, const parley_moqt_stream_t *s);
void tool_moq_show_object(parley_buf_t *b, const parley_moqt_draft_t *draft,
    const parley_moqt_stream_t *s, const parley_moqt_object_t *o,
    parley_str_t payload);


/*
 * Read such an object.  Spans are in the arena or in the document.  They return
 * 0, or -1 with *err, whose field is the member.
 */
int tool_moq_read_message(const parley_json_t *doc, parley_arena_t *arena,
    const parley_moqt_draft_t *draft, parley_moqt_message_t *ret,
    parley_error_t *err);
int tool_moq_read_stream(const parley_json_t *doc, parley_moqt_stream_t *ret,
    parley_error_t *err);
int tool_moq_read_object(const parley_json_t *doc, parley_arena_t *arena,
    const parley_moqt_draft_t *draft, const parley_moqt_stream_t *stream,
    parley_moqt_object_t *ret, parley_str_t *ret_payload,
    parley_error_t *err);

/* Sets err for a member.  Returns -1. */
int tool_moq_error(parley_error_t *err, parley_code_t code,
    const char *member, const char *text);


/* words of structured values, which both directions use; end with NULL */
extern const char *const  tool_moq_aliases[];       /* by Alias Type */
extern const char *const  tool_moq_filters[];       /* by Filter Type - 1 */


#endif /* PARLEY_TOOL_MOQ_H */
