#include "translate/parley_engine.h"
#include "translate/parley_embed.h"
#include "core/parley_id.h"
#include "translate/parley_name.h"
#include "translate/parley_named.h"
#include "translate/parley_redact.h"
#include "schemas/parley_schema.h"
#include "translate/parley_signing.h"
#include "translate/parley_plain_msg.h"
#include "translate/parley_msg_field.h"


struct parley_engine_s {
    parley_mem_t            mem;
    parley_schema_set_t    *set;
    const parley_schema_t  *schemas[PARLEY_PROTO_COUNT];
    const parley_schema_t  *log_schemas[PARLEY_PROTO_COUNT];
    const parley_schema_t  *parts[PARLEY_PROTO_COUNT][PARLEY_CODEC_PARTS_MAX];
};


static int parley_engine_compile(parley_engine_t *engine,
    parley_error_t *err);
static int parley_engine_schema(parley_engine_t *engine, parley_str_t uri,
    const parley_schema_t **ret, parley_error_t *err);
static int parley_engine_validate(const parley_schema_t *schema,
    parley_json_ref_t value, parley_error_t *err);
static int parley_engine_same(const parley_codec_t *codec,
    parley_arena_t *arena, const parley_msg_t *m, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);
static int parley_engine_labels(const parley_msg_t *msg,
    parley_error_t *err);
static int parley_engine_is_broken_bus(parley_str_t name);
static int parley_engine_random_id(parley_arena_t *arena, parley_msg_t *msg,
    const uint8_t *random, parley_error_t *err);
static int parley_engine_may(const parley_codec_t *codec,
    const parley_msg_t *m, parley_error_t *err);
static int parley_engine_is_for_all(const parley_msg_t *m,
    const parley_encode_opts_t *opts);
static int parley_engine_parties(parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_msg_t *ret, parley_error_t *err);
static int parley_engine_has_secret(const parley_msg_t *m);


#define X(id, word, member, shape, ...)                                       \
    extern const parley_codec_t  parley_##word##_codec;
PARLEY_PROTOCOLS(X, , )
#undef X

const parley_codec_t *const  parley_codecs[PARLEY_PROTO_COUNT] = {
#define X(id, word, member, shape, ...)  &parley_##word##_codec,
    PARLEY_PROTOCOLS(X, , )
#undef X
};


parley_engine_t *
parley_engine_create(const parley_mem_t *mem, parley_error_t *err)
{
    parley_engine_t          *engine;
    parley_schema_options_t   options;

    parley_error_clear(err);

    engine = mem->alloc(mem->ctx, sizeof(parley_engine_t));
    if (engine == NULL) {
        (void) parley_error_memory(err);
        return NULL;
    }

    memset(engine, 0, sizeof(parley_engine_t));
    memset(&options, 0, sizeof(parley_schema_options_t));

    engine->mem = *mem;
    options.formats = 1;

    engine->set = parley_schema_set_create(mem, &options);

    if (engine->set == NULL) {
        (void) parley_error_memory(err);
        parley_engine_destroy(engine);
        return NULL;
    }

    if (parley_engine_compile(engine, err) != 0) {
        parley_engine_destroy(engine);
        return NULL;
    }

    return engine;
}


static int
parley_engine_compile(parley_engine_t *engine, parley_error_t *err)
{
    unsigned                i, k;
    parley_schema_error_t   error;

    if (parley_schema_set_add_builtin(engine->set, &error) != 0) {
        *err = error.error;
        return -1;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_engine_schema(engine, parley_codecs[i]->schema,
                                 &engine->schemas[i], err)
            != 0
            || parley_engine_schema(engine, parley_codecs[i]->log_schema,
                                    &engine->log_schemas[i], err)
               != 0)
        {
            return -1;
        }

        for (k = 0; k < parley_codecs[i]->nparts; k++) {
            if (parley_engine_schema(engine, parley_codecs[i]->parts[k],
                                     &engine->parts[i][k], err)
                != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


static int
parley_engine_schema(parley_engine_t *engine, parley_str_t uri,
    const parley_schema_t **ret, parley_error_t *err)
{
    parley_schema_error_t  error;

    if (uri.len == 0
        || parley_schema_compile(engine->set, uri, ret, &error) == 0)
    {
        return 0;
    }

    *err = error.error;

    return -1;
}


void
parley_engine_destroy(parley_engine_t *engine)
{
    parley_mem_t  mem;

    if (engine == NULL) {
        return;
    }

    parley_schema_set_destroy(engine->set);

    mem = engine->mem;

    if (mem.free != NULL) {
        mem.free(mem.ctx, engine);
    }
}


int
parley_validate(const parley_engine_t *engine, parley_proto_t proto,
    const parley_json_t *doc, parley_error_t *err)
{
    parley_json_ref_t  root = { doc, 0 };

    return parley_engine_validate(engine->schemas[proto], root, err);
}


int
parley_validate_log(const parley_engine_t *engine, parley_proto_t proto,
    const parley_json_t *doc, parley_error_t *err)
{
    parley_json_ref_t  root = { doc, 0 };

    return parley_engine_validate(engine->log_schemas[proto], root, err);
}


int
parley_validate_part(const parley_engine_t *engine, parley_proto_t proto,
    unsigned part, parley_json_ref_t value, parley_error_t *err)
{
    const parley_schema_t  *schema;

    schema = engine->parts[proto][part];

    if (err != NULL) {
        return parley_engine_validate(schema, value, err);
    }

    return parley_schema_validate(schema, value.doc->arena, value, NULL) == 0
           ? 0 : -1;
}


const parley_schema_t *
parley_engine_envelope(const parley_engine_t *engine, parley_proto_t proto)
{
    return engine->schemas[proto];
}


static int
parley_engine_validate(const parley_schema_t *schema,
    parley_json_ref_t value, parley_error_t *err)
{
    int                    rc;
    parley_schema_error_t  error;

    rc = parley_schema_validate(schema, value.doc->arena, value, &error);

    if (rc == 0) {
        return 0;
    }

    if (rc < 0) {
        return parley_error_memory(err);
    }

    (void) parley_error_set(err, error.error.code, error.error.field, "%s %s",
                            error.error.field[0] ? error.error.field
                                                 : "the message",
                            error.error.text);

    err->offset = error.error.offset;

    return -1;
}


int
parley_decode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_json_t *doc, int mve5,
    parley_msg_t *msg, parley_error_t *err)
{
    const parley_codec_t  *codec;

    parley_error_clear(err);
    parley_msg_init(msg, proto, doc);

    if (parley_codec_find(proto, &codec, err) != 0
        || codec->decode(engine, arena, doc, mve5, msg, err) != 0
        || parley_plain_msg(msg, err) != 0
        || parley_engine_labels(msg, err) != 0)
    {
        return -1;
    }

    return msg->origin == msg->wire ? 0 : parley_embed_nested(msg, err);
}


/*
 * Refuses an intent of any protocol, or the AEE name of a bus, with an empty
 * label: a service may read "ops..delete" as "ops.delete", which a rule denies.
 */

static int
parley_engine_labels(const parley_msg_t *msg, parley_error_t *err)
{
    parley_msg_field_t  field;

    if (!parley_name_is_whole(msg->intent)
        || !parley_name_is_whole(msg->outer_intent))
    {
        field = PARLEY_MSG_INTENT;

    } else if (msg->wire != PARLEY_PROTO_CANONICAL) {
        return 0;

    } else if (parley_engine_is_broken_bus(msg->sender)) {
        field = PARLEY_MSG_SENDER;

    } else if (parley_engine_is_broken_bus(msg->recipient)) {
        field = PARLEY_MSG_RECIPIENT;

    } else {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                            parley_at(msg, field).pointer,
                            "a label between the dots of %s is empty",
                            parley_at(msg, field).pointer);
}


static int
parley_engine_is_broken_bus(parley_str_t name)
{
    parley_str_t  bus;

    bus = parley_name_canonical.prefixes[PARLEY_NAME_GROUP];

    return name.len >= bus.len && memcmp(name.data, bus.data, bus.len) == 0
           && !parley_name_is_whole(name);
}


int
parley_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
{
    const parley_codec_t  *codec;

    parley_error_clear(err);

    if (parley_codec_find(msg->wire, &codec, err) != 0) {
        return -1;
    }

    msg->owner = submission->owner;
    msg->author = submission->author;

    if (codec->submit != NULL
        && codec->submit(arena, msg, submission, err) != 0)
    {
        return -1;
    }

    return msg->anonymous && submission->random != NULL
           ? parley_engine_random_id(arena, msg, submission->random, err) : 0;
}


static int
parley_engine_random_id(parley_arena_t *arena, parley_msg_t *msg,
    const uint8_t *random, parley_error_t *err)
{
    char  id[PARLEY_UUID_LEN + 1];

    parley_uuid_random(random, id);

    return parley_arena_str(arena, parley_str_c(id), &msg->id) == 0
           ? 0 : parley_error_memory(err);
}


void
parley_engine_answers(parley_msg_t *m, int approval)
{
    const parley_codec_t  *codec;

    codec = parley_codecs[m->wire];

    if (codec->answers != NULL) {
        codec->answers(m, approval);
    }
}


void
parley_engine_disapprove(parley_msg_t *m)
{
    m->act = PARLEY_ACT_PROGRESS;
    m->priority = PARLEY_PRIORITY_LOW;
    m->approves = 0;
    m->unapproved = 1;
}


int
parley_engine_correlates(const parley_msg_t *m, parley_str_t corr)
{
    const parley_codec_t  *codec;

    codec = parley_codecs[m->wire];

    return codec->corr_is != NULL ? codec->corr_is(m, corr)
                                  : parley_str_eq(m->corr, corr);
}


int
parley_engine_is_unruled(const parley_msg_t *m, parley_proto_t speak)
{
    const parley_binding_t  *binding;

    binding = parley_codecs[m->wire]->binding;

    return binding->unruled != NULL && binding->unruled(m, speak);
}


int
parley_engine_local(parley_arena_t *arena, const parley_msg_t *m,
    const parley_local_t *local, parley_reply_t *ret, parley_error_t *err)
{
    const parley_binding_t  *binding;

    binding = parley_codecs[m->wire]->binding;

    parley_error_clear(err);
    memset(ret, 0, sizeof(parley_reply_t));

    return binding->local != NULL ? binding->local(arena, m, local, ret, err)
                                  : 0;
}


int
parley_encode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    parley_msg_t           origin, whole;
    parley_json_ref_t      agrees;
    const parley_codec_t  *codec;

    parley_error_clear(err);
    memset(ret, 0, sizeof(parley_encoded_t));

    ret->approval = m->approval;

    if (parley_codec_find(proto, &codec, err) != 0
        || parley_engine_may(codec, m, err) != 0)
    {
        return -1;
    }

    if (proto == m->wire) {
        return parley_engine_same(codec, arena, m, ret, loss, err);
    }

    if (parley_engine_has_secret(m)) {
        parley_loss_pointer(loss, parley_codecs[m->wire]
                                      ->pointers[PARLEY_MSG_SECRET]);
    }

    if (m->held) {
        parley_msg_release(m, &origin);
        m = &origin;

    } else if (m->origin == m->wire && parley_embed_nested(m, err) != 0) {
        return -1;
    }

    if (m->sender.len == 0 || m->recipient.len == 0
        || (m->created.len == 0 && m->created_ms < 0)
        || parley_engine_is_for_all(m, opts))
    {
        if (parley_engine_parties(arena, m, opts, &whole, err) != 0) {
            return -1;
        }

        m = &whole;
    }

    if (codec->encode(engine, arena, m, opts, ret, loss, err) != 0
        || (opts->answering != NULL
            && parley_named(engine, arena, proto, m, opts, ret, err) != 0)
        || parley_name_lost(arena, opts, m, proto, loss, err) != 0
        || parley_redact_made(engine, arena, proto, m->doc->seed, opts->redact,
                              opts->nredact, &ret->body, err)
           != 0)
    {
        return -1;
    }

    if (m->unapproved) {
        agrees.doc = m->data.doc;
        agrees.node = m->agrees;
        parley_loss_value(loss, agrees);
    }

    if (opts->sign == NULL || codec->signature_member.len == 0) {
        return 0;
    }

    return parley_signing_made(codec, arena, m, opts, ret, err);
}


int
parley_encode_id(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m, parley_encoded_t *ret,
    parley_error_t *err)
{
    parley_msg_t   made;
    parley_json_t  doc;

    if (ret->id.len > 0 || proto == m->wire) {
        return 0;
    }

    if (parley_read_again(&doc, arena, m->doc->seed, ret->body, err) != 0
        || parley_decode(engine, arena, proto, &doc, 0, &made, err) != 0)
    {
        return -1;
    }

    ret->id = made.id;

    return 0;
}


/* Copies the message, without a credential that the recipient must not see. */

static int
parley_engine_same(const parley_codec_t *codec, parley_arena_t *arena,
    const parley_msg_t *m, parley_encoded_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    uint32_t       applied;
    parley_edit_t  edit;

    ret->body = m->doc->input;
    ret->id = m->id;
    ret->corr = m->corr;
    ret->scope = m->scope;
    ret->alarm = m->alarm;
    ret->copied = 1;

    /*
     * A call is answered at once.  A session does not name the answered
     * message.
     */
    ret->answerable = m->act == PARLEY_ACT_REQUEST && m->call.len == 0
                      && (!codec->replies_by_corr || m->question.len > 0);

    if (!parley_engine_has_secret(m)) {
        return 0;
    }

    edit.pointer = parley_str_c(codec->pointers[PARLEY_MSG_SECRET]);
    edit.value = parley_str_none;

    ret->copied = 0;

    parley_loss_pointer(loss, codec->pointers[PARLEY_MSG_SECRET]);

    return parley_edit(arena, m->doc, &edit, 1, &ret->body, &applied, err);
}


/* Checks that a message may be forwarded, in this protocol. */

static int
parley_engine_may(const parley_codec_t *codec, const parley_msg_t *m,
    parley_error_t *err)
{
    const parley_codec_t  *wire;

    wire = parley_codecs[m->wire];

    if (m->local) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "a message of this kind is for the gateway and "
                                "is not forwarded");
    }

    if (codec == wire) {
        return 0;
    }

    if (m->native) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "only a service that speaks %s can answer "
                                "this",
                                (const char *) parley_proto_name(m->wire)
                                                   .data);
    }

    if (m->partial) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED, "",
                                "a log record is not a message (MVE-5)");
    }

    return 0;
}


/*
 * Returns whether an answer names a conversation, but no member of it.  It is
 * then for the asker.
 */

static int
parley_engine_is_for_all(const parley_msg_t *m,
    const parley_encode_opts_t *opts)
{
    return opts->answering != NULL && !opts->answering->scoped
           && (m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE
               || m->act == PARLEY_ACT_PROGRESS)
           && parley_name_is_group(m->wire, m->recipient);
}


/*
 * Fills the missing parties and the missing time of a message.  An answer has
 * the parties of the answered message.
 */

static int
parley_engine_parties(parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_msg_t *ret, parley_error_t *err)
{
    *ret = *m;

    if (parley_engine_is_for_all(m, opts)) {
        ret->recipient = parley_str_none;
    }

    if (opts->answering != NULL
        && parley_answer_parties(arena, opts->answering, opts, opts->now_ms,
                                 ret, err)
           != 0)
    {
        return -1;
    }

    if (ret->recipient.len == 0 && ret->reply_to.len > 0) {
        return parley_msg_misrefers(m, PARLEY_E_REPLY_UNMATCHED,
                                    "the reply names no recipient, and its "
                                    "question is unknown", err);
    }

    return 0;
}


static int
parley_engine_has_secret(const parley_msg_t *m)
{
    parley_str_t  name;

    name = parley_codecs[m->wire]->secret_member;

    return name.len > 0
           && parley_json_get(m->doc, 0, name) != PARLEY_JSON_NONE;
}


int
parley_codec_find(parley_proto_t proto, const parley_codec_t **ret,
    parley_error_t *err)
{
    if (proto >= PARLEY_PROTO_COUNT) {
        *ret = NULL;
        return parley_error_set(err, PARLEY_E_PROTOCOL_UNSUPPORTED, "",
                                "unknown protocol");
    }

    *ret = parley_codecs[proto];

    return 0;
}
