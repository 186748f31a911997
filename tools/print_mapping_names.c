/*
 * Tables of names that the directory does not list, and of the attention that
 * C2A sets for events of other protocols.
 */

#include <stdio.h>

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_name.h"
#include "tools/print_mapping.h"


static void mapping_name(mapping_t *t, parley_proto_t from, parley_str_t name,
    parley_proto_t to);


static const struct {
    parley_proto_t  proto;
    parley_str_t    name;
} mapping_of[] = {
    { PARLEY_PROTO_AEE, parley_str("agent.x1") },
    { PARLEY_PROTO_AEE, parley_str("agent.x1@host") },
    { PARLEY_PROTO_AEE, parley_str("agent.cc-x1") },
    { PARLEY_PROTO_AEE, parley_str("human.x1") },
    { PARLEY_PROTO_AEE, parley_str("service.x1") },
    { PARLEY_PROTO_AEE, parley_str("bus.x1") },
    { PARLEY_PROTO_AEE, parley_str("bus.broadcast") },
    { PARLEY_PROTO_VCP, parley_str("x1") },
    { PARLEY_PROTO_VCP, parley_str("agent://host/x1") },
    { PARLEY_PROTO_VCP, parley_str("human://x1") },
    { PARLEY_PROTO_VCP, parley_str("service://x1") },
    { PARLEY_PROTO_VCP, parley_str("broadcast") },
    { PARLEY_PROTO_C2A, parley_str("agent:x1") },
    { PARLEY_PROTO_C2A, parley_str("agent:x1@host") },
    { PARLEY_PROTO_C2A, parley_str("human:x1") },
    { PARLEY_PROTO_C2A, parley_str("service:x1") },
    { PARLEY_PROTO_C2A, parley_str("channel:x1") },
    { PARLEY_PROTO_CHANNEL, parley_str("~x1") },
    { PARLEY_PROTO_CHANNEL, parley_str("~cc-x1") },
    { PARLEY_PROTO_CHANNEL, parley_str("org:~x1/members/*") },
};


static const struct {
    const char         *title;
    parley_act_t        act;
    parley_priority_t   priority;
    parley_notice_t     notice;
    parley_severity_t   alarm;
    parley_proto_t      origin;
    int                 group;
} mapping_asks[] = {
    { "request", PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
    { "request, urgent", PARLEY_ACT_REQUEST, PARLEY_PRIORITY_URGENT,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
    { "request, now", PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_NOW, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
    { "request, order", PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_ORDER, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
    { "request to a group", PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 1 },
    { "request to a group, an alarm", PARLEY_ACT_REQUEST,
      PARLEY_PRIORITY_NORMAL, PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_WARNING,
      PARLEY_PROTO_AEE, 1 },
    { "reply", PARLEY_ACT_REPLY, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
    { "failure", PARLEY_ACT_FAILURE, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_WARNING,
      PARLEY_PROTO_AEE, 0 },
    { "AEE event to one", PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
    { "AEE event to a group", PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 1 },
    { "event, offer, to one", PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_OFFER, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_VCP, 0 },
    { "agent-channel event, VCP event to all", PARLEY_ACT_EVENT,
      PARLEY_PRIORITY_NORMAL, PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_CHANNEL, 0 },
    { "event, a warning", PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_WARNING,
      PARLEY_PROTO_VCP, 0 },
    { "event, record, to one", PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_RECORD, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_CHANNEL, 0 },
    { "event, record, to a group", PARLEY_ACT_EVENT,
      PARLEY_PRIORITY_NORMAL, PARLEY_NOTICE_RECORD, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_CHANNEL, 1 },
    { "progress", PARLEY_ACT_PROGRESS, PARLEY_PRIORITY_NORMAL,
      PARLEY_NOTICE_USUAL, PARLEY_SEVERITY_NONE,
      PARLEY_PROTO_AEE, 0 },
};


void
mapping_names(mapping_t *t)
{
    unsigned  i, to;

    printf("= mapping names\n| name of |");

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
        if (parley_proto_is_named((parley_proto_t) to)) {
            printf(" %.*s |",
                   mapping_len(parley_proto_title((parley_proto_t) to)));
        }
    }

    printf("\n|---|");

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
        if (parley_proto_is_named((parley_proto_t) to)) {
            printf("---|");
        }
    }

    printf("\n");

    for (i = 0; i < sizeof(mapping_of) / sizeof(mapping_of[0]); i++) {

        printf("| %.*s |", mapping_len(parley_proto_name(mapping_of[i].proto)));

        for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

            if (!parley_proto_is_named((parley_proto_t) to)) {
                continue;
            }

            mapping_name(t, mapping_of[i].proto, mapping_of[i].name,
                         (parley_proto_t) to);
        }

        printf("\n");
    }
}


/* Prints a cell. */

static void
mapping_name(mapping_t *t, parley_proto_t from, parley_str_t name,
    parley_proto_t to)
{
    parley_str_t  ret;

    if (to == from) {
        printf(" **`%.*s`** |", mapping_len(name));
        return;
    }

    switch (parley_name_map(&t->arena, from, name, to, &ret)) {

    case 0:
        printf(" `%.*s` |", mapping_len(ret));
        break;

    case 1:
        printf(" |");
        break;

    default:
        mapping_die("out of memory");
    }
}


void
mapping_attention(void)
{
    unsigned                 i;
    parley_msg_t             m;
    const parley_c2a_row_t  *row;

    printf("= c2a attention\n"
           "| message | kind | directedness | policy | injection |\n"
           "|---|---|---|---|---|\n");

    for (i = 0; i < sizeof(mapping_asks) / sizeof(mapping_asks[0]); i++) {

        parley_msg_init(&m, mapping_asks[i].origin, NULL);
        m.act = mapping_asks[i].act;
        m.priority = mapping_asks[i].priority;
        m.notice = mapping_asks[i].notice;
        m.alarm = mapping_asks[i].alarm;

        row = parley_c2a_row(&m, mapping_asks[i].group);

        printf("| %s | %.*s | %.*s | %.*s | %.*s |\n", mapping_asks[i].title,
               mapping_len(row->kind), mapping_len(row->directedness),
               mapping_len(row->policy), mapping_len(row->mode));
    }
}
