/*
 * The eleven forms of the draft: methods, the seven tools, notifications.
 */

#include "parley_c2a_field.h"


static const parley_c2a_form_info_t  parley_c2a_forms[PARLEY_C2A_FORMS] = {
    [PARLEY_C2A_INITIALIZE] = {
        parley_str("initialize"), parley_str("c2a.initialize"),
        parley_str("initialize"),
        PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL, 0
    },
    [PARLEY_C2A_DELIVER] = {
        parley_str("chat.deliver"), parley_str("c2a.chat.deliver"),
        parley_str("chat/deliver"),
        PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, 0
    },
    [PARLEY_C2A_LIST_EVENTS] = {
        parley_str("chat.list_events"), parley_str("c2a.chat.list_events"),
        parley_str("tools/call"),
        PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL, 1
    },
    [PARLEY_C2A_READ_THREAD] = {
        parley_str("chat.read_thread"), parley_str("c2a.chat.read_thread"),
        parley_str("tools/call"),
        PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL, 1
    },
    [PARLEY_C2A_SEND_MESSAGE] = {
        parley_str("chat.send_message"), parley_str("c2a.chat.send_message"),
        parley_str("tools/call"),
        PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, 1
    },
    [PARLEY_C2A_REACT] = {
        parley_str("chat.react"), parley_str("c2a.chat.react"),
        parley_str("tools/call"),
        PARLEY_ACT_PROGRESS, PARLEY_PRIORITY_LOW, 1
    },
    [PARLEY_C2A_CLAIM] = {
        parley_str("chat.claim"), parley_str("c2a.chat.claim"),
        parley_str("tools/call"),
        PARLEY_ACT_PROGRESS, PARLEY_PRIORITY_LOW, 1
    },
    [PARLEY_C2A_DEFER] = {
        parley_str("chat.defer"), parley_str("c2a.chat.defer"),
        parley_str("tools/call"),
        PARLEY_ACT_PROGRESS, PARLEY_PRIORITY_LOW, 1
    },
    [PARLEY_C2A_RESOLVE] = {
        parley_str("chat.resolve"), parley_str("c2a.chat.resolve"),
        parley_str("tools/call"),
        PARLEY_ACT_REPLY, PARLEY_PRIORITY_NORMAL, 1
    },
    [PARLEY_C2A_CANCELLED] = {
        parley_str("notifications.cancelled"),
        parley_str("c2a.notifications.cancelled"),
        parley_str("notifications/cancelled"),
        PARLEY_ACT_EVENT, PARLEY_PRIORITY_HIGH, 0
    },
    [PARLEY_C2A_PROGRESS] = {
        parley_str("notifications.progress"),
        parley_str("c2a.notifications.progress"),
        parley_str("notifications/progress"),
        PARLEY_ACT_PROGRESS, PARLEY_PRIORITY_LOW, 0
    },
};


const uint8_t  parley_c2a_aside[PARLEY_ATOMS] = {
    [PARLEY_ATOM_eventId] = 1,
    [PARLEY_ATOM_source] = 1,
    [PARLEY_ATOM_conversation] = 1,
    [PARLEY_ATOM_author] = 1,
    [PARLEY_ATOM_target] = 1,
    [PARLEY_ATOM_timing] = 1,
    [PARLEY_ATOM_attention] = 1,
    [PARLEY_ATOM_injection] = 1,
    [PARLEY_ATOM_reliability] = 1,
};


const parley_c2a_form_info_t *
parley_c2a_form_info(parley_c2a_form_t form)
{
    return &parley_c2a_forms[form];
}


parley_c2a_form_t
parley_c2a_form_find(parley_str_t form)
{
    unsigned  i;

    for (i = 0; i < PARLEY_C2A_FORMS; i++) {
        if (parley_str_eq(parley_c2a_forms[i].form, form)) {
            break;
        }
    }

    return (parley_c2a_form_t) i;
}


parley_c2a_form_t
parley_c2a_form_of(const parley_json_t *doc, int *ret_tool)
{
    uint32_t  method, name;

    method = parley_json_member(doc, 0, PARLEY_ATOM_method);
    name = PARLEY_JSON_NONE;

    if (parley_c2a_is(doc, method, PARLEY_STR("tools/call"))) {
        name = parley_json_member(doc, parley_c2a_params(doc),
                                  PARLEY_ATOM_name);
    }

    return parley_c2a_form_called(doc, method, name, ret_tool);
}


parley_c2a_form_t
parley_c2a_form_called(const parley_json_t *doc, uint32_t method,
    uint32_t name, int *ret_tool)
{
    unsigned  i;

    *ret_tool = 0;

    for (i = 0; i < PARLEY_C2A_FORMS; i++) {
        if (!parley_c2a_is(doc, method, parley_c2a_forms[i].method)) {
            continue;
        }

        if (!parley_c2a_forms[i].tool
            || parley_c2a_is(doc, name, parley_c2a_forms[i].form))
        {
            break;
        }

        *ret_tool = 1;
    }

    return (parley_c2a_form_t) i;
}


uint32_t
parley_c2a_params(const parley_json_t *doc)
{
    return parley_json_member(doc, 0, PARLEY_ATOM_params);
}


uint32_t
parley_c2a_arguments(const parley_json_t *doc)
{
    return parley_json_member(doc, parley_c2a_params(doc),
                              PARLEY_ATOM_arguments);
}
