#include "parley_c2a_field.h"


static parley_c2a_field_t parley_c2a_field_escaped(const parley_json_t *doc,
    uint32_t name)
    __attribute__((noinline));
static parley_c2a_field_t parley_c2a_field_of(parley_str_t name);
static void parley_c2a_places_add(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t value, parley_c2a_object_t of);


static const parley_str_t  parley_c2a_fields[PARLEY_C2A_FIELDS] = {
    [PARLEY_C2A_FIELD_ID] = parley_str("id"),
    [PARLEY_C2A_FIELD_JSONRPC] = parley_str("jsonrpc"),
    [PARLEY_C2A_FIELD_METHOD] = parley_str("method"),
    [PARLEY_C2A_FIELD_PARAMS] = parley_str("params"),
    [PARLEY_C2A_FIELD_RESULT] = parley_str("result"),
    [PARLEY_C2A_FIELD_ERROR] = parley_str("error"),
    [PARLEY_C2A_FIELD_NAME] = parley_str("name"),
    [PARLEY_C2A_FIELD_ARGUMENTS] = parley_str("arguments"),
    [PARLEY_C2A_FIELD_META] = parley_str("_meta"),
    [PARLEY_C2A_FIELD_EVENT_ID] = parley_str("eventId"),
    [PARLEY_C2A_FIELD_SOURCE] = parley_str("source"),
    [PARLEY_C2A_FIELD_CONVERSATION] = parley_str("conversation"),
    [PARLEY_C2A_FIELD_AUTHOR] = parley_str("author"),
    [PARLEY_C2A_FIELD_TARGET] = parley_str("target"),
    [PARLEY_C2A_FIELD_TIMING] = parley_str("timing"),
    [PARLEY_C2A_FIELD_ATTENTION] = parley_str("attention"),
    [PARLEY_C2A_FIELD_INJECTION] = parley_str("injection"),
    [PARLEY_C2A_FIELD_RELIABILITY] = parley_str("reliability"),
    [PARLEY_C2A_FIELD_CONTENT] = parley_str("content"),
    [PARLEY_C2A_FIELD_KNOCK] = parley_str("knock"),
    [PARLEY_C2A_FIELD_PLATFORM] = parley_str("platform"),
    [PARLEY_C2A_FIELD_THREAD_ID] = parley_str("threadId"),
    [PARLEY_C2A_FIELD_KIND] = parley_str("kind"),
    [PARLEY_C2A_FIELD_RECIPIENT] = parley_str("recipient"),
    [PARLEY_C2A_FIELD_DIRECTEDNESS] = parley_str("directedness"),
    [PARLEY_C2A_FIELD_CREATED_AT] = parley_str("createdAt"),
    [PARLEY_C2A_FIELD_POLICY] = parley_str("policy"),
    [PARLEY_C2A_FIELD_REASON] = parley_str("reason"),
    [PARLEY_C2A_FIELD_PRIORITY] = parley_str("priority"),
    [PARLEY_C2A_FIELD_DEADLINE_MS] = parley_str("deadlineMs"),
    [PARLEY_C2A_FIELD_MODE] = parley_str("mode"),
    [PARLEY_C2A_FIELD_IDEMPOTENCY_KEY] = parley_str("idempotencyKey"),
    [PARLEY_C2A_FIELD_ATTEMPT] = parley_str("attempt"),
    [PARLEY_C2A_FIELD_TYPE] = parley_str("type"),
    [PARLEY_C2A_FIELD_TEXT] = parley_str("text"),
    [PARLEY_C2A_FIELD_MEDIA_TYPE] = parley_str("mediaType"),
    [PARLEY_C2A_FIELD_FORM] = parley_str("form"),
    [PARLEY_C2A_FIELD_DATA] = parley_str("data"),
    [PARLEY_C2A_FIELD_MEMBERS] = parley_str("members"),
    [PARLEY_C2A_FIELD_REFERENCE] = parley_str("reference"),
    [PARLEY_C2A_FIELD_ACCEPTED] = parley_str("accepted"),
    [PARLEY_C2A_FIELD_DISPOSITION] = parley_str("disposition"),
    [PARLEY_C2A_FIELD_MESSAGE] = parley_str("message"),
};


/* the place of a member, by its object and its name */
static const uint8_t
    parley_c2a_place[PARLEY_C2A_OBJECTS][PARLEY_C2A_FIELDS + 1] = {

    [PARLEY_C2A_OF_MESSAGE] = {
        [PARLEY_C2A_FIELD_ID] = PARLEY_C2A_AT_ID,
        [PARLEY_C2A_FIELD_JSONRPC] = PARLEY_C2A_AT_JSONRPC,
        [PARLEY_C2A_FIELD_METHOD] = PARLEY_C2A_AT_METHOD,
        [PARLEY_C2A_FIELD_PARAMS] = PARLEY_C2A_AT_PARAMS,
        [PARLEY_C2A_FIELD_RESULT] = PARLEY_C2A_AT_RESULT,
        [PARLEY_C2A_FIELD_ERROR] = PARLEY_C2A_AT_ERROR,
    },
    [PARLEY_C2A_OF_PARAMS] = {
        [PARLEY_C2A_FIELD_NAME] = PARLEY_C2A_AT_NAME,
        [PARLEY_C2A_FIELD_ARGUMENTS] = PARLEY_C2A_AT_ARGUMENTS,
        [PARLEY_C2A_FIELD_META] = PARLEY_C2A_AT_META,
        [PARLEY_C2A_FIELD_EVENT_ID] = PARLEY_C2A_AT_EVENT_ID,
        [PARLEY_C2A_FIELD_SOURCE] = PARLEY_C2A_AT_SOURCE,
        [PARLEY_C2A_FIELD_CONVERSATION] = PARLEY_C2A_AT_CONVERSATION,
        [PARLEY_C2A_FIELD_AUTHOR] = PARLEY_C2A_AT_AUTHOR,
        [PARLEY_C2A_FIELD_TARGET] = PARLEY_C2A_AT_TARGET,
        [PARLEY_C2A_FIELD_TIMING] = PARLEY_C2A_AT_TIMING,
        [PARLEY_C2A_FIELD_ATTENTION] = PARLEY_C2A_AT_ATTENTION,
        [PARLEY_C2A_FIELD_INJECTION] = PARLEY_C2A_AT_INJECTION,
        [PARLEY_C2A_FIELD_RELIABILITY] = PARLEY_C2A_AT_RELIABILITY,
        [PARLEY_C2A_FIELD_CONTENT] = PARLEY_C2A_AT_CONTENT,
        [PARLEY_C2A_FIELD_KNOCK] = PARLEY_C2A_AT_KNOCK,
        [PARLEY_C2A_FIELD_TEXT] = PARLEY_C2A_AT_TEXT,
    },
    [PARLEY_C2A_OF_CONVERSATION] = {
        [PARLEY_C2A_FIELD_ID] = PARLEY_C2A_AT_CONVERSATION_ID,
        [PARLEY_C2A_FIELD_THREAD_ID] = PARLEY_C2A_AT_THREAD_ID,
    },
    [PARLEY_C2A_OF_AUTHOR] = {
        [PARLEY_C2A_FIELD_ID] = PARLEY_C2A_AT_AUTHOR_ID,
        [PARLEY_C2A_FIELD_KIND] = PARLEY_C2A_AT_AUTHOR_KIND,
    },
    [PARLEY_C2A_OF_TARGET] = {
        [PARLEY_C2A_FIELD_RECIPIENT] = PARLEY_C2A_AT_RECIPIENT,
    },
    [PARLEY_C2A_OF_TIMING] = {
        [PARLEY_C2A_FIELD_CREATED_AT] = PARLEY_C2A_AT_CREATED,
    },
    [PARLEY_C2A_OF_ATTENTION] = {
        [PARLEY_C2A_FIELD_POLICY] = PARLEY_C2A_AT_POLICY,
        [PARLEY_C2A_FIELD_PRIORITY] = PARLEY_C2A_AT_PRIORITY,
        [PARLEY_C2A_FIELD_DEADLINE_MS] = PARLEY_C2A_AT_DEADLINE,
    },
    [PARLEY_C2A_OF_RESULT] = {
        [PARLEY_C2A_FIELD_ACCEPTED] = PARLEY_C2A_AT_ACCEPTED,
        [PARLEY_C2A_FIELD_DISPOSITION] = PARLEY_C2A_AT_DISPOSITION,
        [PARLEY_C2A_FIELD_MESSAGE] = PARLEY_C2A_AT_MESSAGE,
    },
};


parley_c2a_field_t
parley_c2a_field(const parley_json_t *doc, uint32_t name)
{
    return parley_json_node(doc, name)->flags & PARLEY_JSON_ESCAPED
           ? parley_c2a_field_escaped(doc, name)
           : parley_c2a_field_of(parley_json_span(doc, name));
}


/* Apart, so that the usual case need not save what this takes. */

static parley_c2a_field_t
parley_c2a_field_escaped(const parley_json_t *doc, uint32_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_C2A_FIELDS; i++) {
        if (parley_json_string_is(doc, name, parley_c2a_fields[i])) {
            break;
        }
    }

    return (parley_c2a_field_t) i;
}


/*
 * What has one length is compared in a register, what messages have most
 * first: this is asked often.
 */

#define parley_c2a_named(name, text, field)                                   \
    memcmp((name).data, text, sizeof(text) - 1) == 0                          \
        ? PARLEY_C2A_FIELD_##field :

static parley_c2a_field_t
parley_c2a_field_of(parley_str_t name)
{
    switch (name.len) {

    case 2:
        return
            parley_c2a_named(name, "id", ID)
            PARLEY_C2A_FIELDS;

    case 4:
        return
            parley_c2a_named(name, "type", TYPE)
            parley_c2a_named(name, "text", TEXT)
            parley_c2a_named(name, "kind", KIND)
            parley_c2a_named(name, "form", FORM)
            parley_c2a_named(name, "data", DATA)
            parley_c2a_named(name, "name", NAME)
            parley_c2a_named(name, "mode", MODE)
            PARLEY_C2A_FIELDS;

    case 5:
        return
            parley_c2a_named(name, "error", ERROR)
            parley_c2a_named(name, "_meta", META)
            parley_c2a_named(name, "knock", KNOCK)
            PARLEY_C2A_FIELDS;

    case 6:
        return
            parley_c2a_named(name, "author", AUTHOR)
            parley_c2a_named(name, "target", TARGET)
            parley_c2a_named(name, "timing", TIMING)
            parley_c2a_named(name, "params", PARAMS)
            parley_c2a_named(name, "method", METHOD)
            parley_c2a_named(name, "result", RESULT)
            parley_c2a_named(name, "source", SOURCE)
            parley_c2a_named(name, "policy", POLICY)
            parley_c2a_named(name, "reason", REASON)
            PARLEY_C2A_FIELDS;

    case 7:
        return
            parley_c2a_named(name, "eventId", EVENT_ID)
            parley_c2a_named(name, "content", CONTENT)
            parley_c2a_named(name, "jsonrpc", JSONRPC)
            parley_c2a_named(name, "members", MEMBERS)
            parley_c2a_named(name, "message", MESSAGE)
            parley_c2a_named(name, "attempt", ATTEMPT)
            PARLEY_C2A_FIELDS;

    case 8:
        return
            parley_c2a_named(name, "priority", PRIORITY)
            parley_c2a_named(name, "platform", PLATFORM)
            parley_c2a_named(name, "threadId", THREAD_ID)
            parley_c2a_named(name, "accepted", ACCEPTED)
            PARLEY_C2A_FIELDS;

    case 9:
        return
            parley_c2a_named(name, "recipient", RECIPIENT)
            parley_c2a_named(name, "createdAt", CREATED_AT)
            parley_c2a_named(name, "attention", ATTENTION)
            parley_c2a_named(name, "injection", INJECTION)
            parley_c2a_named(name, "mediaType", MEDIA_TYPE)
            parley_c2a_named(name, "reference", REFERENCE)
            parley_c2a_named(name, "arguments", ARGUMENTS)
            PARLEY_C2A_FIELDS;

    case 10:
        return
            parley_c2a_named(name, "deadlineMs", DEADLINE_MS)
            PARLEY_C2A_FIELDS;

    case 11:
        return
            parley_c2a_named(name, "reliability", RELIABILITY)
            parley_c2a_named(name, "disposition", DISPOSITION)
            PARLEY_C2A_FIELDS;

    case 12:
        return
            parley_c2a_named(name, "conversation", CONVERSATION)
            parley_c2a_named(name, "directedness", DIRECTEDNESS)
            PARLEY_C2A_FIELDS;

    case 14:
        return
            parley_c2a_named(name, "idempotencyKey", IDEMPOTENCY_KEY)
            PARLEY_C2A_FIELDS;

    default:
        return PARLEY_C2A_FIELDS;
    }
}


parley_c2a_form_t
parley_c2a_places_find(parley_c2a_places_t *places, const parley_json_t *doc,
    int *ret_tool)
{
    unsigned           i;
    uint32_t          *at;
    parley_c2a_form_t  form;

    static const struct {
        parley_c2a_place_t   at;
        parley_c2a_object_t  of;
    } objects[] = {
        { PARLEY_C2A_AT_CONVERSATION, PARLEY_C2A_OF_CONVERSATION },
        { PARLEY_C2A_AT_AUTHOR, PARLEY_C2A_OF_AUTHOR },
        { PARLEY_C2A_AT_TARGET, PARLEY_C2A_OF_TARGET },
        { PARLEY_C2A_AT_TIMING, PARLEY_C2A_OF_TIMING },
        { PARLEY_C2A_AT_ATTENTION, PARLEY_C2A_OF_ATTENTION },
    };

    at = places->at;

    memset(places, 0xFF, sizeof(parley_c2a_places_t));

    parley_c2a_places_add(places, doc, 0, PARLEY_C2A_OF_MESSAGE);
    parley_c2a_places_add(places, doc, at[PARLEY_C2A_AT_PARAMS],
                          PARLEY_C2A_OF_PARAMS);

    form = parley_c2a_form_called(doc, at[PARLEY_C2A_AT_METHOD],
                                  at[PARLEY_C2A_AT_NAME], ret_tool);

    if (form != PARLEY_C2A_DELIVER) {
        return form;
    }

    for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        parley_c2a_places_add(places, doc, at[objects[i].at], objects[i].of);
    }

    return form;
}


void
parley_c2a_places_answer(parley_c2a_places_t *places,
    const parley_json_t *doc)
{
    memset(places, 0xFF, sizeof(parley_c2a_places_t));

    parley_c2a_places_add(places, doc, 0, PARLEY_C2A_OF_MESSAGE);
    parley_c2a_places_add(places, doc, places->at[PARLEY_C2A_AT_RESULT],
                          PARLEY_C2A_OF_RESULT);
}


void
parley_c2a_places_params(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t value)
{
    memset(places, 0xFF, sizeof(parley_c2a_places_t));

    parley_c2a_places_add(places, doc, value, PARLEY_C2A_OF_PARAMS);
}


static void
parley_c2a_places_add(parley_c2a_places_t *places, const parley_json_t *doc,
    uint32_t value, parley_c2a_object_t of)
{
    uint32_t        k, end;
    const uint8_t  *place;

    if (value >= doc->nnodes
        || parley_json_type(doc, value) != PARLEY_JSON_OBJECT)
    {
        return;
    }

    place = parley_c2a_place[of];
    end = parley_json_end(doc, value);

    for (k = parley_json_first(value); k != end;
         k = parley_json_after(doc, k + 1))
    {
        places->at[place[parley_c2a_field(doc, k)]] = k + 1;
    }
}
