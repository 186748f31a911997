/* Messages: reading, fields, translation. */

#include <stdlib.h>
#include <string.h>

#include "core/parley_jcs.h"
#include "lib/parley_lib.h"


static int parley_lib_message_decode(parley_message *message,
    const char *protocol, parley_str_t text, parley_error_t *error);
static parley_str_t parley_lib_message_field(const parley_message *message,
    parley_field field);
static parley_str_t parley_lib_message_act(const parley_msg_t *msg);
static parley_str_t parley_lib_message_priority(const parley_msg_t *msg);


int
parley_detect_text(parley_library *library, const char *text, size_t len,
    const char **ret, parley_failure *err)
{
    int             rc;
    parley_json_t   doc;
    parley_error_t  error;
    parley_arena_t  arena;

    *ret = NULL;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_json_read(&doc, &arena, NULL, library->seed,
                          parley_str_make(text, len), &error);
    if (rc == 0) {
        *ret = parley_protocol(parley_detect(&doc, PARLEY_PROTO_ALL));
    }

    parley_arena_reset(&arena);

    return rc == 0 ? 0 : parley_lib_fail(&error, err);
}


int
parley_message_new(parley_library *library, const char *protocol,
    const char *text, size_t len, parley_message **ret, parley_failure *err)
{
    parley_str_t     copy;
    parley_error_t   error;
    parley_message  *message;

    *ret = NULL;

    message = calloc(1, sizeof(parley_message));

    if (message == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    message->library = library;
    parley_arena_init(&message->arena, &parley_mem_libc, 0);

    if (parley_arena_str(&message->arena, parley_str_make(text, len), &copy)
        != 0)
    {
        (void) parley_error_memory(&error);

    } else if (parley_lib_message_decode(message, protocol, copy, &error)
               == 0) {
        *ret = message;
        return 0;
    }

    parley_message_free(message);

    return parley_lib_fail(&error, err);
}


static int
parley_lib_message_decode(parley_message *message, const char *protocol,
    parley_str_t text, parley_error_t *error)
{
    parley_proto_t       proto;
    parley_submission_t  beside;

    if (parley_json_read(&message->doc, &message->arena, NULL,
                         message->library->seed, text, error)
        != 0)
    {
        return -1;
    }

    proto = protocol != NULL
            ? parley_proto_find(parley_str_c(protocol))
            : parley_detect(&message->doc, PARLEY_PROTO_ALL);

    if (parley_decode(message->library->engine, &message->arena, proto,
                      &message->doc, 0, &message->msg, error)
        != 0)
    {
        return -1;
    }

    memset(&beside, 0, sizeof(parley_submission_t));
    beside.sender = message->msg.sender;

    return parley_submit(&message->arena, &message->msg, &beside, error);
}


void
parley_message_free(parley_message *message)
{
    if (message != NULL) {
        parley_arena_reset(&message->arena);
        free(message);
    }
}


parley_text
parley_message_get(parley_message *message, parley_field field)
{
    if ((unsigned) field >= PARLEY_LIB_FIELDS) {
        return (parley_text) { "", 0 };
    }

    if (message->fields[field].data == NULL) {
        message->fields[field]
            = parley_lib_text(&message->arena,
                              parley_lib_message_field(message, field));
    }

    return message->fields[field];
}


static parley_str_t
parley_lib_message_field(const parley_message *message, parley_field field)
{
    const parley_msg_t  *msg = &message->msg;

    switch (field) {

    case PARLEY_FIELD_PROTOCOL:
        return parley_proto_name(msg->wire);

    case PARLEY_FIELD_TYPE:
        return msg->form;

    case PARLEY_FIELD_ACT:
        return parley_lib_message_act(msg);

    case PARLEY_FIELD_ID:
        return msg->id;

    case PARLEY_FIELD_SENDER:
        return msg->sender;

    case PARLEY_FIELD_RECIPIENT:
        return msg->recipient;

    case PARLEY_FIELD_INTENT:
        return msg->intent;

    case PARLEY_FIELD_CORRELATION:
        return msg->corr;

    case PARLEY_FIELD_REPLY_TO:
        return msg->reply_to;

    case PARLEY_FIELD_CREATED:
        return msg->created;

    case PARLEY_FIELD_PRIORITY:
        return parley_lib_message_priority(msg);

    case PARLEY_FIELD_TEXT:
        return msg->text;

    case PARLEY_FIELD_PAYLOAD:
        return msg->data.node == PARLEY_JSON_NONE
               ? parley_str_none
               : parley_json_raw(msg->data.doc, msg->data.node);
    }

    return parley_str_none;
}


static parley_str_t
parley_lib_message_act(const parley_msg_t *msg)
{
    static const parley_str_t  acts[] = {
        [PARLEY_ACT_REQUEST] = parley_str("request"),
        [PARLEY_ACT_REPLY] = parley_str("reply"),
        [PARLEY_ACT_FAILURE] = parley_str("failure"),
        [PARLEY_ACT_EVENT] = parley_str("event"),
        [PARLEY_ACT_PROGRESS] = parley_str("progress"),
    };

    return acts[msg->act];
}


static parley_str_t
parley_lib_message_priority(const parley_msg_t *msg)
{
    return parley_priority_name(msg->priority);
}


int64_t
parley_message_created(const parley_message *message)
{
    return message->msg.created_ms;
}


int64_t
parley_message_timeout(const parley_message *message)
{
    return message->msg.timeout_ms;
}


parley_text
parley_message_value(parley_message *message, const char *pointer)
{
    uint32_t  node;

    node = parley_json_resolve(&message->doc, 0, parley_str_c(pointer));

    return parley_lib_text(&message->arena,
                           node == PARLEY_JSON_NONE
                           ? parley_str_none
                           : parley_json_raw(&message->doc, node));
}


int
parley_message_canonical(parley_message *message, parley_made **ret,
    parley_failure *err)
{
    parley_buf_t       b;
    parley_made       *made;
    parley_str_t       text;
    parley_error_t     error;
    parley_json_ref_t  root;

    *ret = NULL;
    made = parley_lib_made_new();

    if (made != NULL) {
        root.doc = &message->doc;
        root.node = 0;

        parley_buf_init(&b, &made->arena, message->doc.input.len);
        parley_jcs_write(&b, root, parley_str_none);

        if (parley_buf_done(&b, &text) == 0) {
            return parley_lib_made(made, text, ret, err);
        }

        parley_made_free(made);
    }

    (void) parley_error_memory(&error);

    return parley_lib_fail(&error, err);
}


int
parley_message_translate(parley_message *message, const char *protocol,
    const parley_translation *opts, parley_made **ret, parley_failure *err)
{
    parley_msg_t           msg;
    parley_made           *made;
    parley_error_t         error;
    parley_encoded_t       out;
    parley_encode_opts_t   encode;

    *ret = NULL;
    memset(&encode, 0, sizeof(parley_encode_opts_t));

    if (opts != NULL) {
        encode.now_ms = opts->now_ms;

        if (opts->gateway != NULL) {
            encode.self = parley_str_c(opts->gateway);
        }

        if (opts->context != NULL) {
            encode.context = parley_str_c(opts->context);
        }

        if (opts->constitution != NULL) {
            encode.constitution = parley_str_c(opts->constitution);
        }
    }

    if (encode.now_ms == 0) {
        encode.now_ms = parley_lib_now();
    }

    made = parley_lib_made_new();

    if (made == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    msg = message->msg;

    if (msg.created.len == 0 && msg.created_ms < 0) {
        msg.created_ms = encode.now_ms;
    }

    if (parley_encode(message->library->engine, &message->arena,
                      parley_proto_find(parley_str_c(protocol)),
                      &msg, &encode, &out, &made->loss, &error)
        != 0)
    {
        parley_made_free(made);
        return parley_lib_fail(&error, err);
    }

    return parley_lib_made(made, out.body, ret, err);
}
