#include "parley_c2a_field.h"


static void parley_c2a_places_add(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t value, parley_c2a_object_t of);


/* what is to be taken from PARLEY_C2A_FIELDS: 0 for every other name */
#define PARLEY_C2A_OF(field)                                                  \
    (PARLEY_C2A_FIELDS - PARLEY_C2A_FIELD_##field)

const uint8_t  parley_c2a_atoms[PARLEY_ATOMS] = {
    [PARLEY_ATOM_id] = PARLEY_C2A_OF(ID),
    [PARLEY_ATOM_jsonrpc] = PARLEY_C2A_OF(JSONRPC),
    [PARLEY_ATOM_method] = PARLEY_C2A_OF(METHOD),
    [PARLEY_ATOM_params] = PARLEY_C2A_OF(PARAMS),
    [PARLEY_ATOM_result] = PARLEY_C2A_OF(RESULT),
    [PARLEY_ATOM_error] = PARLEY_C2A_OF(ERROR),
    [PARLEY_ATOM_name] = PARLEY_C2A_OF(NAME),
    [PARLEY_ATOM_arguments] = PARLEY_C2A_OF(ARGUMENTS),
    [PARLEY_ATOM__meta] = PARLEY_C2A_OF(META),
    [PARLEY_ATOM_eventId] = PARLEY_C2A_OF(EVENT_ID),
    [PARLEY_ATOM_source] = PARLEY_C2A_OF(SOURCE),
    [PARLEY_ATOM_conversation] = PARLEY_C2A_OF(CONVERSATION),
    [PARLEY_ATOM_author] = PARLEY_C2A_OF(AUTHOR),
    [PARLEY_ATOM_target] = PARLEY_C2A_OF(TARGET),
    [PARLEY_ATOM_timing] = PARLEY_C2A_OF(TIMING),
    [PARLEY_ATOM_attention] = PARLEY_C2A_OF(ATTENTION),
    [PARLEY_ATOM_injection] = PARLEY_C2A_OF(INJECTION),
    [PARLEY_ATOM_reliability] = PARLEY_C2A_OF(RELIABILITY),
    [PARLEY_ATOM_content] = PARLEY_C2A_OF(CONTENT),
    [PARLEY_ATOM_knock] = PARLEY_C2A_OF(KNOCK),
    [PARLEY_ATOM_platform] = PARLEY_C2A_OF(PLATFORM),
    [PARLEY_ATOM_threadId] = PARLEY_C2A_OF(THREAD_ID),
    [PARLEY_ATOM_kind] = PARLEY_C2A_OF(KIND),
    [PARLEY_ATOM_recipient] = PARLEY_C2A_OF(RECIPIENT),
    [PARLEY_ATOM_directedness] = PARLEY_C2A_OF(DIRECTEDNESS),
    [PARLEY_ATOM_createdAt] = PARLEY_C2A_OF(CREATED_AT),
    [PARLEY_ATOM_policy] = PARLEY_C2A_OF(POLICY),
    [PARLEY_ATOM_reason] = PARLEY_C2A_OF(REASON),
    [PARLEY_ATOM_priority] = PARLEY_C2A_OF(PRIORITY),
    [PARLEY_ATOM_deadlineMs] = PARLEY_C2A_OF(DEADLINE_MS),
    [PARLEY_ATOM_mode] = PARLEY_C2A_OF(MODE),
    [PARLEY_ATOM_idempotencyKey] = PARLEY_C2A_OF(IDEMPOTENCY_KEY),
    [PARLEY_ATOM_attempt] = PARLEY_C2A_OF(ATTEMPT),
    [PARLEY_ATOM_type] = PARLEY_C2A_OF(TYPE),
    [PARLEY_ATOM_text] = PARLEY_C2A_OF(TEXT),
    [PARLEY_ATOM_mediaType] = PARLEY_C2A_OF(MEDIA_TYPE),
    [PARLEY_ATOM_form] = PARLEY_C2A_OF(FORM),
    [PARLEY_ATOM_data] = PARLEY_C2A_OF(DATA),
    [PARLEY_ATOM_members] = PARLEY_C2A_OF(MEMBERS),
    [PARLEY_ATOM_reference] = PARLEY_C2A_OF(REFERENCE),
    [PARLEY_ATOM_accepted] = PARLEY_C2A_OF(ACCEPTED),
    [PARLEY_ATOM_disposition] = PARLEY_C2A_OF(DISPOSITION),
    [PARLEY_ATOM_message] = PARLEY_C2A_OF(MESSAGE),
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


parley_c2a_form_t
parley_c2a_places_find(parley_c2a_places_t *places, const parley_json_t *doc)
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

    if (at[PARLEY_C2A_AT_METHOD] == PARLEY_JSON_NONE
        && (at[PARLEY_C2A_AT_RESULT] != PARLEY_JSON_NONE
            || at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE))
    {
        return PARLEY_C2A_RESPONSE;
    }

    form = parley_c2a_form_called(doc, at[PARLEY_C2A_AT_METHOD],
                                  at[PARLEY_C2A_AT_NAME]);

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
