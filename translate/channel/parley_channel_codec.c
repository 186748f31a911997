#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_verb.h"


#define PARLEY_CHANNEL_DETECTED  100    /* "envelope_version" is present */


static int parley_channel_detect(const parley_json_t *doc);
static parley_str_t parley_channel_type(unsigned i);
static int parley_channel_asks_sessions(const parley_msg_t *m);
static int parley_channel_name_parse(const parley_name_syntax_t *syntax,
    parley_str_t s, parley_name_t *ret);
static int parley_channel_name_format(const parley_name_syntax_t *syntax,
    parley_buf_t *b, const parley_name_t *n);


/* names without a grammar; handles, UUIDs and scopes have one */

static const parley_plain_t  parley_channel_payload_names[] = {
    { PARLEY_ATOM_file_refs, NULL },
    { PARLEY_ATOM_worktree, NULL },
    { PARLEY_ATOM_branch, NULL },
    { PARLEY_ATOM_refs, NULL },
    { PARLEY_ATOM_previous_session_id, NULL },
    { PARLEY_ATOM_next_session_id, NULL },
    { PARLEY_ATOM_pointer_refs, NULL },
    { PARLEY_ATOM_resource, NULL },
    { PARLEY_ATOM_responder_session_id, NULL },
    { PARLEY_ATOM_return_event_ref, NULL },
    { PARLEY_ATOM_substrate_refs, NULL },
    { PARLEY_ATOM_convergence_class, NULL },
    { PARLEY_ATOM_payload_ref, NULL },
    { PARLEY_ATOM_intent_ref, NULL },
    { PARLEY_ATOM_result_ref, NULL },
    { PARLEY_ATOM_batch_refs, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_channel_names[] = {
    { PARLEY_ATOM_provenance_method, NULL },
    { PARLEY_ATOM_provenance_return_ref, NULL },
    { PARLEY_ATOM_provenance_basis, NULL },
    { PARLEY_ATOM_payload, parley_channel_payload_names },
    { PARLEY_ATOM_NONE, NULL }
};


static const parley_name_syntax_t  parley_channel_syntax = {
    .parse = parley_channel_name_parse,
    .format = parley_channel_name_format,
    .human = '~',
    .group = 'o',
    .tierless = 1,
};


static const parley_str_t  parley_channel_relays[] = {
    parley_str("GET"), parley_str("")
};


const parley_binding_t  parley_channel_binding = {
    .methods = parley_binding_post,
    .relays = parley_channel_relays,
    .media_type = parley_str("application/json"),
    .scoped = 1,
};


const parley_codec_t  parley_channel_codec = {
    .proto = PARLEY_PROTO_CHANNEL,
    .binding = &parley_channel_binding,
    .syntax = &parley_channel_syntax,
    .schema = parley_str("urn:parley:schema:channel-1.0"),
    .parts = parley_channel_inputs,
    .nparts = PARLEY_CHANNEL_VERBS,
    .discriminator = PARLEY_ATOM_envelope_version,

    .pointers[PARLEY_MSG_FORM] = "/kind",
    .pointers[PARLEY_MSG_ID] = "/frame_id",
    .pointers[PARLEY_MSG_CREATED] = "/created_at",
    .pointers[PARLEY_MSG_SENDER] = "/sender_handle",
    .pointers[PARLEY_MSG_RECIPIENT] = "/recipient_handle",
    .pointers[PARLEY_MSG_INTENT] = "/kind",
    .pointers[PARLEY_MSG_TIMEOUT] = "/payload/timeout_ms",
    .pointers[PARLEY_MSG_LIFETIME] = "/ttl_ms",
    .pointers[PARLEY_MSG_DATA] = "/payload",
    .replies_by_corr = 1,
    .drafted = 1,

    .locate = parley_channel_locate,
    .names = parley_channel_names,

    .detect = parley_channel_detect,
    .decode = parley_channel_decode,
    .payload = parley_channel_says,
    .sentence = parley_channel_sentence,
    .submit = parley_channel_submit,
    .unmapped = parley_channel_unmapped,
    .type = parley_channel_type,
    .within = parley_channel_within,
    .extract = parley_channel_extract,
    .slot = &parley_channel_slot,
    .encode = parley_channel_encode,
    .direction = parley_embed_direction,
    .answer_decode = parley_channel_answer_decode,
    .answer_encode = parley_channel_answer_encode,
    .duplicate = parley_channel_duplicate,
    .refuse = parley_channel_refuse,
    .asks_sessions = parley_channel_asks_sessions,
};


static int
parley_channel_detect(const parley_json_t *doc)
{
    int                     score;
    uint32_t                k;
    parley_channel_field_t  field;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_channel_field(doc, k);

        if (field != PARLEY_CHANNEL_FIELDS) {
            score += field == PARLEY_CHANNEL_VERSION
                     ? PARLEY_CHANNEL_DETECTED : 1;
        }
    }

    return score;
}


static parley_str_t
parley_channel_type(unsigned i)
{
    return i < PARLEY_CHANNEL_KINDS
           ? parley_channel_kind((parley_channel_kind_t) i)->name
           : parley_str_none;
}


parley_str_t
parley_channel_called(parley_code_t code)
{
    switch (code) {

#define X(sym, called)                                                        \
    case PARLEY_E_##sym:                                                      \
        code = PARLEY_E_##called;                                             \
        break;
    PARLEY_CHANNEL_CODES(X)
#undef X

    default:
        break;
    }

    return parley_error_info(code)->word;
}


static int
parley_channel_asks_sessions(const parley_msg_t *m)
{
    return parley_str_is(m->form, "agent_query");
}


/*
 * Reads ~x, or an org: scope for a group.  The tier distinguishes agents from
 * humans: an instrument's handle begins with ~cc-, or the directory lists it.
 */

static int
parley_channel_name_parse(const parley_name_syntax_t *syntax, parley_str_t s,
    parley_name_t *ret)
{
    (void) syntax;


    if (parley_name_strip(&s, PARLEY_STR("org:"))) {

        if (s.len < sizeof("/members/*") - 1
            || memcmp(s.data + s.len - (sizeof("/members/*") - 1),
                      "/members/*", sizeof("/members/*") - 1)
               != 0)
        {
            return -1;
        }

        s.len -= sizeof("/members/*") - 1;
        ret->kind = PARLEY_NAME_GROUP;

    } else if (parley_str_begins(s, "~cc-")) {
        ret->kind = PARLEY_NAME_AGENT;

    } else {
        ret->kind = PARLEY_NAME_HUMAN;
    }

    if (!parley_name_is_handle(s)) {
        return -1;
    }

    ret->name = parley_str_from(s, 1);

    return 0;
}


static int
parley_channel_name_format(const parley_name_syntax_t *syntax,
    parley_buf_t *b, const parley_name_t *n)
{
    (void) syntax;

    switch (n->kind) {

    case PARLEY_NAME_GROUP:
        parley_buf_lit(b, "org:~");
        parley_buf_str(b, n->name);
        parley_buf_lit(b, "/members/*");
        return 0;

    case PARLEY_NAME_AGENT:
    case PARLEY_NAME_HUMAN:
        parley_buf_octet(b, '~');
        parley_buf_str(b, n->name);
        return 0;

    default:
        return -1;
    }
}
