/*
 * Names of agents, humans, services and groups in the syntax of each protocol
 * (the table "Identities" of docs/mapping.md).  The operator's directory maps
 * its own entries.  This file maps all other names by their syntax.  A name is
 * refused if its image does not map back to the same octets.
 */

#ifndef PARLEY_NAME_H
#define PARLEY_NAME_H

#include "core/parley_arena.h"
#include "translate/parley_codec.h"
#include "translate/parley_msg.h"
#include "translate/parley_name_syntax.h"
#include "core/parley_str.h"


/*
 * Maps a name from one protocol's syntax to another's.  Returns 0; 1 if no
 * image of the name maps back; -1 if memory is exhausted.
 */
int parley_name_map(parley_arena_t *arena, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Maps a canonical name to the syntax of each protocol.  A name is empty if no
 * image maps back.  Returns 0, or -1 if memory is exhausted.
 */
int parley_name_map_all(parley_arena_t *arena, parley_str_t name,
    parley_str_t ret[PARLEY_PROTO_COUNT])
    __attribute__((warn_unused_result));

/*
 * Finds the name of a principal in protocol to: by the directory if it has an
 * entry, else by the syntax.  The name has the place field in message m, which
 * the error identity-unmappable names.  If the sender is an instrument and
 * would have the name of a human, the result is the name of the instrument
 * (m->author).  This does not apply to agent-channel: its frames name the
 * instrument separately.
 */
int parley_name_translate(parley_arena_t *arena,
    const parley_encode_opts_t *opts, const parley_msg_t *m,
    parley_str_t name, parley_msg_field_t field, parley_proto_t to,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Receives a name, in any protocol, that may mean the same principal as
 * another.  exact: parley_name_map() makes this name.  If 0, other principals
 * may have it too: a handle does not distinguish agents, humans and hosts.
 */
typedef void (*parley_name_alias_pt)(void *ctx, parley_str_t text, int exact);

/*
 * Calls add for each name that may mean the principal of a name in protocol
 * from.  Returns 0, or -1 if memory is exhausted.
 */
int parley_name_aliases(parley_arena_t *arena, parley_proto_t from,
    parley_str_t name, parley_name_alias_pt add, void *ctx)
    __attribute__((warn_unused_result));

/*
 * Reports the loss of a human's name, if parley_name_translate() replaces a
 * sender by its instrument, unless the members of the message have the name.
 */
int parley_name_lost(parley_arena_t *arena, const parley_encode_opts_t *opts,
    const parley_msg_t *m, parley_proto_t to, parley_loss_t *loss,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Splits a name by the syntax of its protocol into spans.  Two names with equal
 * parts map to one another.  Returns 0, or -1 if the name is invalid there.
 */
int parley_name_parse(parley_proto_t proto, parley_str_t s,
    parley_name_t *ret)
    __attribute__((warn_unused_result));

/* Returns whether the name is valid there, opaque or not. */
int parley_name_reads(parley_proto_t proto, parley_str_t name);

/* Returns whether the syntax of the name shows its kind.  An opaque name of VCP
   does not. */
int parley_name_says(parley_proto_t proto, parley_str_t name);

/* Returns whether the name is that of a human, by its syntax. */
int parley_name_is_human(parley_proto_t proto, parley_str_t name);

/* Returns whether the name means a group: AEE bus.x, VCP broadcast, org:... */
int parley_name_is_group(parley_proto_t proto, parley_str_t name);


#endif /* PARLEY_NAME_H */
