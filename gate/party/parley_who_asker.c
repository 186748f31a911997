/* Names of the asker of the question that a message answers. */

#include "gate/party/parley_who.h"


int
parley_who_asked(parley_who_t *who, parley_proto_t to, parley_str_t *ret)
{
    int                        rc;
    const parley_who_asker_t  *asker;

    asker = who->asker;

    if (asker->wire == to) {
        *ret = asker->name;
        return 1;
    }

    if (asker->sent == to && asker->sent_name.len > 0) {
        *ret = asker->sent_name;
        return 1;
    }

    /*
     * without the asker, as its name may also be the recipient of this message
     */

    who->asker = NULL;
    rc = parley_who_resolve(who, asker->wire, asker->name, to, ret);
    who->asker = asker;

    return rc;
}


const parley_principal_t *
parley_who_answered(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name)
{
    return who->directory != NULL && parley_who_is_asker(who, proto, name)
           ? parley_directory_by_name(who->directory,
                                      (parley_namespace_t) who->asker->wire,
                                      who->asker->name)
           : NULL;
}
