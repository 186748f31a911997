/*
 * Names of agents, humans, services and groups in the syntax of each
 * protocol (the table "Identities" of docs/mapping.md).  What has an entry
 * in the operator's directory is found there; this is for the rest: the
 * syntax maps, and maps back to the same octets, or the name is refused.
 */

#ifndef PARLEY_NAME_H
#define PARLEY_NAME_H

#include "core/parley_arena.h"
#include "translate/parley_codec.h"
#include "translate/parley_msg.h"
#include "translate/parley_name_syntax.h"
#include "core/parley_str.h"


/*
 * Maps name from one protocol's syntax to another's.  Returns 0; 1 where it
 * has no image that maps back; -1 where memory cannot be had.
 */
int parley_name_map(parley_arena_t *arena, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * A canonical name in the syntax of each protocol; empty where it has no image
 * that maps back.  Returns 0, or -1: no memory.
 */
int parley_name_map_all(parley_arena_t *arena, parley_str_t name,
    parley_str_t ret[PARLEY_PROTO_COUNT])
    __attribute__((warn_unused_result));

/*
 * The name of a principal in protocol to: the directory's, where it has an
 * entry, else by the syntax.  m is the message that the name is of, field what
 * it is there; identity-unmappable names that.  A sender who would have a
 * human's name there, and is an instrument, has the instrument's (m->author);
 * not so in agent-channel, whose frames say who drafted them.
 */
int parley_name_translate(parley_arena_t *arena,
    const parley_encode_opts_t *opts, const parley_msg_t *m,
    parley_str_t name, parley_msg_field_t field, parley_proto_t to,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Every name, in any protocol, that may mean whom name means in protocol
 * from.  exact: it is the one that parley_name_map() makes; else others may
 * have it too: a handle says neither whether it is an agent's or a human's nor
 * on which host, so that one of another host, or of none, may be meant.
 */
typedef void (*parley_name_alias_pt)(void *ctx, parley_str_t text, int exact);

/* Returns 0, or -1: no memory. */
int parley_name_aliases(parley_arena_t *arena, parley_proto_t from,
    parley_str_t name, parley_name_alias_pt add, void *ctx)
    __attribute__((warn_unused_result));

/*
 * Reports the human's name of a sender whom parley_name_translate() calls by
 * an instrument's, unless the message has it among its members.
 */
int parley_name_lost(parley_arena_t *arena, const parley_encode_opts_t *opts,
    const parley_msg_t *m, parley_proto_t to, parley_loss_t *loss,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Takes a name apart by the syntax of its protocol, into spans of it.  Two
 * names whose parts are equal map to one another.  Returns 0, or -1: it is not
 * a name there.
 */
int parley_name_parse(parley_proto_t proto, parley_str_t s,
    parley_name_t *ret)
    __attribute__((warn_unused_result));

/* Whether it is a name at all there, opaque or not. */
int parley_name_reads(parley_proto_t proto, parley_str_t name);

/* Whether the name says by its syntax what it is there; an opaque name of VCP
   does not. */
int parley_name_says(parley_proto_t proto, parley_str_t name);

/* Whether the name is a human's, by its syntax. */
int parley_name_is_human(parley_proto_t proto, parley_str_t name);

/* Whether the name means a group: AEE bus.x, VCP broadcast, org:... */
int parley_name_is_group(parley_proto_t proto, parley_str_t name);


#endif /* PARLEY_NAME_H */
