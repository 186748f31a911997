/* Replaces an outer message by the message that it embeds. */

#include "translate/parley_embed.h"
#include "translate/parley_embed_text.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_plain.h"
#include "core/parley_time.h"


static int parley_embed_take(parley_arena_t *arena, parley_msg_t *msg,
    const parley_msg_t *outer, const parley_embed_t *c,
    const parley_embed_slot_t *slot);
static void parley_embed_take_form(parley_msg_t *msg);
static int parley_embed_take_words(parley_arena_t *arena, parley_msg_t *msg,
    const parley_embed_t *c, const parley_embed_slot_t *slot);
static int parley_embed_take_intent(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t intent);
static int parley_embed_take_payload(parley_msg_t *msg,
    const parley_embed_t *c, const parley_embed_slot_t *slot);
static int parley_embed_take_act(parley_msg_t *msg, const parley_embed_t *c,
    const parley_embed_slot_t *slot, const parley_codec_t *codec);
static int parley_embed_extend(parley_msg_t *msg, const parley_codec_t *codec);
static int parley_embed_take_members(parley_arena_t *arena,
    parley_msg_t *msg, const parley_embed_t *c);


const parley_str_t  parley_embed_acts[] = {
    [PARLEY_ACT_REQUEST] = parley_str("request"),
    [PARLEY_ACT_REPLY] = parley_str("reply"),
    [PARLEY_ACT_FAILURE] = parley_str("failure"),
    [PARLEY_ACT_EVENT] = parley_str("event"),
    [PARLEY_ACT_PROGRESS] = parley_str("progress"),
};


int
parley_embed_read(parley_arena_t *arena, parley_msg_t *msg)
{
    int                    rc;
    parley_msg_t           inner;
    parley_embed_t         c;
    const parley_codec_t  *codec;

    codec = parley_codecs[msg->wire];

    rc = codec->extract(msg, &c);

    if (rc != 1 || c.origin == PARLEY_PROTO_NONE) {
        return rc < 0 ? -1 : 0;
    }

    if (codec->slot->agrees == NULL) {
        return parley_embed_take(arena, msg, msg, &c, codec->slot) < 0 ? -1
                                                                      : 0;
    }

    inner = *msg;

    rc = parley_embed_take(arena, &inner, msg, &c, codec->slot);

    if (rc == 1) {
        *msg = inner;
    }

    return rc < 0 ? -1 : 0;
}


int
parley_embed_nested(const parley_msg_t *msg, parley_error_t *err)
{
    int                    rc;
    parley_at_t            at;
    parley_msg_t           inner;
    parley_embed_t         c;
    const parley_codec_t  *codec;

    codec = parley_codecs[msg->origin];

    if (codec == NULL || codec->extract == NULL) {
        return 0;
    }

    rc = codec->extract(msg, &c);

    /* A capsule with contradictory parts is ignored. */

    if (rc == 1 && codec->slot->strict) {
        inner = *msg;
        rc = parley_embed_take(c.at.doc->arena, &inner, msg, &c, codec->slot);
    }

    if (rc <= 0) {
        return rc == 0 ? 0 : parley_error_memory(err);
    }

    /* In a text, the capsule has no pointer of its own. */

    if (c.at.doc == msg->doc) {
        (void) parley_json_pointer(msg->doc, c.at.node, at.pointer,
                                   sizeof(at.pointer));

    } else {
        at = parley_at(msg, PARLEY_MSG_DATA);
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, at.pointer,
                            "%s has a message inside a carried message, which "
                            "is not allowed",
                            at.pointer);
}


/*
 * Fills the inner message.  Returns 1; 0 if the parts contradict each other; -1
 * if memory is exhausted.
 */

static int
parley_embed_take(parley_arena_t *arena, parley_msg_t *msg,
    const parley_msg_t *outer, const parley_embed_t *c,
    const parley_embed_slot_t *slot)
{
    int  rc;

    msg->outer_form = msg->form;
    msg->origin = c->origin;
    msg->form = c->words[PARLEY_EMBED_FORM];
    msg->data = c->data;
    msg->envelope = NULL;

    rc = parley_embed_take_words(arena, msg, c, slot);

    if (rc != 1) {
        return rc;
    }

    /* A payload of MoQ has its meaning together with the members. */

    if ((c->sentence.len > 0 && parley_embed_text_restore(arena, msg, c) != 0)
        || parley_embed_take_members(arena, msg, c) != 0
        || parley_embed_take_payload(msg, c, slot) != 0)
    {
        return -1;
    }

    parley_embed_take_form(msg);

    return slot->agrees == NULL || slot->agrees(outer, c, msg);
}


/*
 * Replaces an unknown form of the canonical protocol by the form of the act,
 * which the encoder writes.  So rules judge the message that is sent.  A form
 * with control characters stays, and is refused (parley_plain_msg.h).
 */

static void
parley_embed_take_form(parley_msg_t *msg)
{
    if (msg->origin == PARLEY_PROTO_CANONICAL
        && !parley_embed_is_form(msg->origin, msg->form)
        && parley_plain_is_word(msg->form))
    {
        msg->form = parley_codecs[msg->origin]->type((unsigned) msg->act);
    }
}


static int
parley_embed_take_words(parley_arena_t *arena, parley_msg_t *msg,
    const parley_embed_t *c, const parley_embed_slot_t *slot)
{
    const parley_str_t  *words;

    words = c->words;

    if (slot->says == PARLEY_EMBED_SAYS_NOTHING) {
        msg->priority = PARLEY_PRIORITY_NORMAL;

        if (words[PARLEY_EMBED_PRIORITY].len > 0
            && parley_priority_find(words[PARLEY_EMBED_PRIORITY],
                                    &msg->priority)
               != 0)
        {
            return 0;
        }

        msg->held = 1;
        msg->held_id = words[PARLEY_EMBED_ID];
        msg->held_corr = words[PARLEY_EMBED_CORR];
        msg->held_reply_to = words[PARLEY_EMBED_REPLY_TO];

    } else {
        if (words[PARLEY_EMBED_CORR].len > 0) {
            msg->corr = words[PARLEY_EMBED_CORR];
        }

        if (words[PARLEY_EMBED_REPLY_TO].len > 0) {
            msg->reply_to = words[PARLEY_EMBED_REPLY_TO];
        }
    }

    if (words[PARLEY_EMBED_CREATED].len > 0) {
        msg->created = words[PARLEY_EMBED_CREATED];
        (void) parley_time_parse(msg->created, &msg->created_ms);
    }

    if (words[PARLEY_EMBED_SENDER].len > 0) {
        msg->sender = words[PARLEY_EMBED_SENDER];
    }

    if (words[PARLEY_EMBED_RECIPIENT].len > 0) {
        msg->recipient = words[PARLEY_EMBED_RECIPIENT];
    }

    return parley_embed_take_intent(arena, msg, words[PARLEY_EMBED_INTENT])
           == 0 ? 1 : -1;
}


static int
parley_embed_take_intent(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t intent)
{
    parley_buf_t  b;

    if (intent.len == 0 && parley_embed_is_usual(msg)) {
        return 0;
    }

    msg->outer_intent = msg->intent;
    msg->intent = intent;

    if (intent.len > 0) {
        return 0;
    }

    parley_buf_init(&b, arena, msg->form.len + 10);
    parley_buf_str(&b, parley_embed_word(msg->origin));
    parley_buf_octet(&b, '.');
    parley_buf_str(&b, msg->form);

    return parley_buf_done(&b, &msg->intent);
}


/*
 * Reads the payload.  If the outer message has all fields, the payload adds
 * only those without a word in it.  If the outer message has no fields, the
 * capsule's act overrides that of the payload.
 */

static int
parley_embed_take_payload(parley_msg_t *msg, const parley_embed_t *c,
    const parley_embed_slot_t *slot)
{
    parley_str_t           asked;
    parley_priority_t      priority;
    const parley_codec_t  *codec;

    codec = parley_codecs[msg->origin];

    if (slot->says == PARLEY_EMBED_SAYS_ALL) {
        msg->carried = 1;
        return codec->payload != NULL ? parley_embed_extend(msg, codec) : 0;
    }

    if (slot->says == PARLEY_EMBED_SAYS_NOTHING) {
        return parley_embed_take_act(msg, c, slot, codec);
    }

    /* The outer message's priority and deadline may be capped. */

    priority = msg->priority;
    asked = msg->reply_to;

    msg->said[0] = PARLEY_JSON_NONE;

    if (codec->payload != NULL && codec->payload(msg) != 0) {
        return -1;
    }

    msg->priority = priority;
    msg->timeout_ms = c->timeout_ms;

    /*
     * The outer message and an acknowledgment both name the answered message.
     */

    if (asked.len > 0 && !parley_str_eq(asked, msg->reply_to)) {
        msg->names = asked;
    }

    return 0;
}


static int
parley_embed_take_act(parley_msg_t *msg, const parley_embed_t *c,
    const parley_embed_slot_t *slot, const parley_codec_t *codec)
{
    unsigned           act;
    parley_str_t       corr, reply_to;
    parley_priority_t  priority;

    corr = msg->corr;
    reply_to = msg->reply_to;
    priority = msg->priority;

    msg->text = parley_str_none;
    msg->said[0] = PARLEY_JSON_NONE;
    msg->said[1] = PARLEY_JSON_NONE;
    msg->retryable = 0;

    if (codec->payload != NULL) {
        msg->act = slot->act;
        msg->alarm = PARLEY_SEVERITY_NONE;
        msg->notice = PARLEY_NOTICE_USUAL;

        if (codec->payload(msg) != 0) {
            return -1;
        }

    } else if (c->code.len > 0) {
        msg->act = PARLEY_ACT_FAILURE;
        msg->code = c->code;
    }

    msg->corr = corr;
    msg->reply_to = reply_to;
    msg->priority = priority;
    msg->timeout_ms = c->timeout_ms;

    for (act = PARLEY_ACT_REQUEST; act <= PARLEY_ACT_PROGRESS; act++) {
        if (parley_str_eq(parley_embed_acts[act],
                          c->words[PARLEY_EMBED_ACT]))
        {
            msg->act = (parley_act_t) act;
        }
    }

    if (msg->act != PARLEY_ACT_FAILURE) {
        msg->code = parley_str_none;
    }

    return 0;
}


/* Adds the fields that the outer message cannot express, or does not have. */

static int
parley_embed_extend(parley_msg_t *msg, const parley_codec_t *codec)
{
    parley_msg_t  said;

    said = *msg;

    if (codec->payload(&said) != 0) {
        return -1;
    }

    if (msg->text.len == 0) {
        msg->text = said.text;
        msg->said[0] = said.said[0];
    }

    msg->notice = said.notice;
    msg->recalls = said.recalls;
    msg->approval |= said.approval;
    msg->approves = said.approves && msg->act == PARLEY_ACT_REPLY;
    msg->agrees = said.agrees;

    if (msg->alarm == PARLEY_SEVERITY_NONE) {
        msg->alarm = said.alarm;
    }

    return 0;
}


static int
parley_embed_take_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_embed_t *c)
{
    unsigned              i;
    const parley_json_t  *trace;

    const parley_member_t  own[] = {
        { parley_str("trace"), c->trace },
        { parley_str("requires"), c->requires },
    };

    msg->members = NULL;
    msg->nmembers = 0;

    if (c->trace.node == PARLEY_JSON_NONE
        && c->requires.node == PARLEY_JSON_NONE)
    {
        return parley_embed_members(arena, msg, c->members, c->taken);
    }

    /* trace and requires, envelope members of AEE */

    msg->members = parley_arena_alloc(arena, sizeof(own));
    if (msg->members == NULL) {
        return -1;
    }

    for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (own[i].value.node != PARLEY_JSON_NONE) {
            msg->members[msg->nmembers++] = own[i];
        }
    }

    trace = c->trace.doc;

    return trace != NULL
           && (parley_msg_string(trace,
                                 parley_json_member(trace, c->trace.node,
                                                    PARLEY_ATOM_trace_id),
                                 &msg->trace_id)
               != 0
               || parley_msg_string(trace,
                                    parley_json_member(trace, c->trace.node,
                                                       PARLEY_ATOM_span_id),
                                    &msg->span_id)
                  != 0)
           ? -1 : 0;
}


int
parley_embed_members(parley_arena_t *arena, parley_msg_t *msg,
    parley_json_ref_t object, const parley_atom_t *taken)
{
    uint32_t              k;
    parley_atom_t         atom;
    parley_member_t      *member;
    const parley_json_t  *doc;

    doc = object.doc;

    if (object.node == PARLEY_JSON_NONE
        || parley_json_type(doc, object.node) != PARLEY_JSON_OBJECT
        || parley_json_node(doc, object.node)->count == 0)
    {
        return 0;
    }

    msg->members = parley_arena_alloc(arena,
                                      parley_json_node(doc, object.node)
                                          ->count
                                      * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(object.node);
         k != parley_json_end(doc, object.node);
         k = parley_json_after(doc, k + 1))
    {
        atom = parley_json_atom(doc, k);

        if (atom != PARLEY_ATOM_NONE
            && (atom == taken[0] || atom == taken[1] || atom == taken[2]))
        {
            continue;
        }

        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 0;
}


int
parley_embed_items_read(const parley_embed_slot_t *slot,
    parley_json_ref_t object, parley_embed_t *ret)
{
    unsigned                    i;
    uint32_t                    value;
    parley_str_t                text;
    const parley_json_t        *doc;
    const parley_embed_item_t  *item;

    doc = object.doc;

    for (i = 0; i < slot->nitems; i++) {
        item = &slot->items[i];
        value = parley_json_get(doc, object.node, item->name);

        if (value == PARLEY_JSON_NONE) {

            if (item->required) {
                return 0;
            }

            continue;
        }

        if (item->field == PARLEY_EMBED_TIMEOUT) {

            if (parley_json_type(doc, value) != PARLEY_JSON_NUMBER
                || parley_json_integer(doc, value, &ret->timeout_ms) != 0
                || ret->timeout_ms < 0)
            {
                return 0;
            }

        } else if (item->field == PARLEY_EMBED_MEMBERS) {
            ret->members.doc = doc;
            ret->members.node = value;

        } else {
            if (parley_msg_string(doc, value, &text) != 0) {
                return -1;
            }

            if (text.len == 0) {
                return 0;
            }

            ret->words[item->field] = text;
        }
    }

    return 1;
}


void
parley_embed_items_unread(const parley_embed_slot_t *slot,
    parley_json_ref_t object, parley_proto_t proto, parley_loss_t *loss)
{
    unsigned                    i;
    uint32_t                    k;
    parley_str_t                text;
    parley_json_ref_t           value;
    const parley_json_t        *doc;
    const parley_embed_item_t  *item;

    doc = object.doc;
    value.doc = doc;

    for (k = parley_json_first(object.node);
         k != parley_json_end(doc, object.node);
         k = parley_json_after(doc, k + 1))
    {
        value.node = k + 1;

        for (i = 0; i < slot->nitems; i++) {
            if (parley_json_string_is(doc, k, slot->items[i].name)) {
                break;
            }
        }

        item = i < slot->nitems ? &slot->items[i] : NULL;

        if (parley_json_type(doc, k + 1) == PARLEY_JSON_NULL
            || (item != NULL && item->field == PARLEY_EMBED_MEMBERS
                && parley_json_type(doc, k + 1) == PARLEY_JSON_OBJECT))
        {
            continue;
        }

        if (item == NULL || item->field == PARLEY_EMBED_MEMBERS
            || (item->field == PARLEY_EMBED_FORM
                && parley_msg_string(doc, k + 1, &text) == 0
                && !parley_embed_is_form(proto, text)))
        {
            parley_loss_value(loss, value);
        }
    }
}
