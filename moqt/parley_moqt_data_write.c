#include "moqt/parley_moqt_fetch.h"


static int parley_moqt_object_subgroup(parley_moqt_data_writer_t *w,
    parley_buf_t *b, const parley_moqt_object_t *object);


int
parley_moqt_data_write(parley_moqt_data_writer_t *w,
    const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_stream_t *stream)
{
    uint64_t  max;

    memset(w, 0, sizeof(parley_moqt_data_writer_t));

    w->draft = draft;
    w->stream = *stream;

    max = draft->integer_max;

    if (stream->request > max || stream->alias > max || stream->group > max
        || stream->subgroup > max)
    {
        return -1;
    }

    if (stream->type == PARLEY_MOQT_STREAM_FETCH) {
        parley_moqt_integer_write(draft, b, stream->type);
        parley_moqt_integer_write(draft, b, stream->request);
        return 0;
    }

    if (!parley_moqt_stream_is_subgroup(stream->type)) {
        return -1;
    }

    parley_moqt_integer_write(draft, b, stream->type);
    parley_moqt_integer_write(draft, b, stream->alias);
    parley_moqt_integer_write(draft, b, stream->group);

    if ((stream->type & PARLEY_MOQT_STREAM_MODE)
        == PARLEY_MOQT_STREAM_PRESENT)
    {
        parley_moqt_integer_write(draft, b, stream->subgroup);
    }

    if (!(stream->type & PARLEY_MOQT_STREAM_DEFAULT)) {
        parley_buf_octet(b, stream->priority);
    }

    return 0;
}


int
parley_moqt_object_write(parley_moqt_data_writer_t *w, parley_buf_t *b,
    const parley_moqt_object_t *object)
{
    uint64_t  max;

    max = w->draft->integer_max;

    if (object->group > max || object->subgroup > max || object->id > max
        || object->length > max
        || object->extensions.octets.len > PARLEY_MOQT_EXTENSIONS_MAX
        || (object->status != PARLEY_MOQT_STATUS_NORMAL
            && (object->length > 0 || object->extensions.octets.len > 0
                || w->stream.type == PARLEY_MOQT_STREAM_FETCH)))
    {
        return -1;
    }

    if ((w->stream.type == PARLEY_MOQT_STREAM_FETCH
         ? parley_moqt_fetch_write(w, b, object)
         : parley_moqt_object_subgroup(w, b, object)) != 0)
    {
        return -1;
    }

    /* a range has neither a subgroup nor a priority */

    if (object->kind == PARLEY_MOQT_OBJECT) {
        w->last = *object;
        w->any = 1;
        w->grouped = !object->datagram;

    } else {
        w->last.group = object->group;
        w->last.id = object->id;
    }

    w->located = 1;

    return 0;
}


static int
parley_moqt_object_subgroup(parley_moqt_data_writer_t *w, parley_buf_t *b,
    const parley_moqt_object_t *object)
{
    int  extensions;

    extensions = w->stream.type & PARLEY_MOQT_STREAM_EXTENSIONS;

    if (object->kind != PARLEY_MOQT_OBJECT
        || (w->any && object->id <= w->last.id)
        || (!extensions && object->extensions.octets.len > 0))
    {
        return -1;
    }

    parley_moqt_integer_write(w->draft, b, w->any
                              ? object->id - w->last.id - 1 : object->id);

    if (extensions) {
        parley_moqt_octets_write(w->draft, b, object->extensions.octets);
    }

    parley_moqt_integer_write(w->draft, b, object->length);

    if (object->length == 0) {
        parley_moqt_integer_write(w->draft, b, object->status);
    }

    return 0;
}
