/* parley attention: shows the principals that a chat event obliges, and why. */

#include "auth/parley_directory.h"
#include "gate/host/parley_attention.h"
#include "tools/parley_tool.h"
#include "translate/parley_chat.h"
#include "translate/parley_codec.h"


typedef struct {
    parley_engine_t            *engine;
    parley_directory_t         *directory;
    const parley_chat_t        *chat;
    const parley_principal_t   *reader;     /* NULL: each that gets the
                                               event */
    parley_attention_thread_t   thread;
    parley_attention_input_t    in;
    parley_attention_offer_t    offer;
    parley_attention_t          found;      /* of the current event */
} parley_cmd_attention_t;


static int tool_attention_run(parley_tool_t *tool);
static int tool_attention_setup(parley_tool_t *tool,
    parley_cmd_attention_t *c);
static int tool_attention_principal(parley_tool_t *tool,
    const parley_cmd_attention_t *c, const char *option,
    const parley_principal_t **ret);
static int tool_attention_numbers(parley_tool_t *tool,
    parley_cmd_attention_t *c);
static int tool_attention_count(parley_tool_t *tool, const char *option,
    int64_t *ret);
static int tool_attention_list(parley_tool_t *tool, const char *option,
    const parley_str_t **ret, unsigned *ret_n);
static int tool_attention_modes(parley_tool_t *tool,
    parley_cmd_attention_t *c);
static int tool_attention_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static unsigned tool_attention_readers(const parley_tool_t *tool,
    parley_cmd_attention_t *c, parley_buf_t *b);
static void tool_attention_line(const parley_cmd_attention_t *c,
    parley_buf_t *b, const parley_principal_t *p,
    const parley_attention_verdict_t *v);
static void tool_attention_object(const parley_cmd_attention_t *c,
    parley_buf_t *b, const parley_principal_t *p,
    const parley_attention_verdict_t *v);
static parley_str_t tool_attention_name(const parley_principal_t *p);


static const parley_option_t  parley_attention_options[] = {
    { "identities", 0, "FILE", "the principals, as parley_identities has "
      "them", 0 },
    { "reader", 0, "SUB", "only this principal, even if it does not get the\n"
      "event", 0 },
    { "author", 0, "SUB", "the principal that sends the event itself; "
      "default:\nthe account that the event names", 0 },
    { "subject", 0, "SUB", "the author of the message that the event answers\n"
      "or reacts to", 0 },
    { "obliged", 0, NULL, "that message obliged the author of the event", 0 },
    { "owner", 0, "SUB", "the owner of the thread", 0 },
    { "participant", 0, "SUB", "an author in the thread", 1 },
    { "party", 0, "SUB", "an earlier author or recipient of the DM", 1 },
    { "agents", 0, "N", "messages of agents in the thread since the last one\n"
      "of a human (0)", 0 },
    { "loop", 0, "N", "messages of agents until they oblige no reader\n"
      "(6); 0: no limit", 0 },
    { "deadline", 0, "TIME", "the deadline of an event without one (5m)", 0 },
    { "modes", 0, "LIST", "modes that the session of the reader negotiated,\n"
      "with commas (all)", 0 },
    { "interrupt", 0, NULL, "the session negotiated interrupt", 0 },
    { "unreadable", 0, NULL, "the reader may not read the conversation", 0 },
    { "at", 0, "WHEN", "when the event came (default: now)", 0 },
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


const parley_command_t  parley_cmd_attention = {
    .name = "attention",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Shows the principals that a chat event obliges",
    .text = "Prints a line for each principal that gets the event in its "
            "mailbox: its name,\nthe row of the table in docs/chat.md, "
            "directedness, policy, mode, deadline in\nmilliseconds, and the "
            "caps that made the row weaker.  The event is a\nsubmission of a "
            "chat surface.\n",
    .options = parley_attention_options,
    .run = tool_attention_run
};


static int
tool_attention_run(parley_tool_t *tool)
{
    int                      status;
    parley_error_t           err;
    parley_cmd_attention_t  *c;

    status = PARLEY_EXIT_USAGE;
    c = parley_arena_calloc(&tool->arena, sizeof(parley_cmd_attention_t));

    if (c == NULL) {
        tool_say("out of memory");
        return status;
    }

    c->engine = parley_engine_create(&parley_mem_libc, &err);

    if (c->engine == NULL) {
        tool_say_error("schemas", &err);

    } else if (tool_attention_setup(tool, c) == 0) {
        status = tool_input_each(tool, tool_attention_one, c);
    }

    parley_directory_free(c->directory);

    if (c->engine != NULL) {
        parley_engine_destroy(c->engine);
    }

    return status;
}


static int
tool_attention_setup(parley_tool_t *tool, parley_cmd_attention_t *c)
{
    const char                 *path;
    const parley_principal_t   *owner, *subject;

    c->chat = parley_codecs[PARLEY_PROTO_CHAT]->chat;

    if (tool_option_required(tool, "identities", &path) != 0
        || tool_file_identities(tool, path, &c->directory) != 0
        || tool_attention_principal(tool, c, "reader", &c->reader) != 0
        || tool_attention_principal(tool, c, "author", &c->in.author) != 0
        || tool_attention_principal(tool, c, "owner", &owner) != 0
        || tool_attention_principal(tool, c, "subject", &subject) != 0
        || tool_attention_list(tool, "participant", &c->thread.participants,
                               &c->thread.nparticipants)
           != 0
        || tool_attention_list(tool, "party", &c->thread.parties,
                               &c->thread.nparties)
           != 0
        || tool_attention_numbers(tool, c) != 0
        || tool_attention_modes(tool, c) != 0)
    {
        return -1;
    }

    c->thread.owner = owner != NULL ? owner->sub : parley_str_none;
    c->thread.subject = subject != NULL ? subject->sub : parley_str_none;
    c->thread.obliged = tool_option(tool, "obliged") != NULL;
    c->in.directory = c->directory;
    c->in.thread = &c->thread;
    c->offer.interrupt = tool_option(tool, "interrupt") != NULL;
    c->offer.unreadable = tool_option(tool, "unreadable") != NULL;
    c->offer.now_ms = c->in.accepted_ms;

    return 0;
}


/* Finds the principal of an option; *ret is NULL without the option. */

static int
tool_attention_principal(parley_tool_t *tool,
    const parley_cmd_attention_t *c, const char *option,
    const parley_principal_t **ret)
{
    const char  *value;

    *ret = NULL;
    value = tool_option(tool, option);

    if (value == NULL) {
        return 0;
    }

    *ret = parley_directory_by_sub(c->directory, parley_str_c(value));

    if (*ret == NULL) {
        tool_say("--%s: \"%s\" is not the sub of a principal", option,
                 value);
        return -1;
    }

    return 0;
}


static int
tool_attention_numbers(parley_tool_t *tool, parley_cmd_attention_t *c)
{
    int64_t      agents, loop, seconds;
    const char  *value;

    agents = 0;
    loop = PARLEY_ATTENTION_LOOP;
    seconds = PARLEY_ATTENTION_DEADLINE / 1000;
    c->in.accepted_ms = tool_host_ms();

    if (tool_attention_count(tool, "agents", &agents) != 0
        || tool_attention_count(tool, "loop", &loop) != 0)
    {
        return -1;
    }

    value = tool_option(tool, "deadline");

    if (value != NULL
        && tool_option_duration("deadline", value, 1,
                                PARLEY_CHAT_DEADLINE_MAX / 1000, &seconds)
           != 0)
    {
        return -1;
    }

    value = tool_option(tool, "at");

    if (value != NULL
        && tool_option_time("at", value, c->in.accepted_ms,
                            &c->in.accepted_ms)
           != 0)
    {
        return -1;
    }

    c->thread.agents = (uint32_t) agents;
    c->in.loop = (uint32_t) loop;
    c->in.deadline_ms = seconds * 1000;

    return 0;
}


/* Reads an option into *ret, which keeps its value without the option. */

static int
tool_attention_count(parley_tool_t *tool, const char *option, int64_t *ret)
{
    const char  *value;

    value = tool_option(tool, option);

    return value == NULL
           ? 0 : tool_option_integer(option, value, 0, UINT32_MAX, ret);
}


/* Collects the values of an option that may be repeated. */

static int
tool_attention_list(parley_tool_t *tool, const char *option,
    const parley_str_t **ret, unsigned *ret_n)
{
    size_t         i;
    const char    *value;
    parley_str_t  *list;

    list = parley_arena_alloc(&tool->arena,
                              (tool->ngiven + 1) * sizeof(parley_str_t));
    if (list == NULL) {
        tool_say("out of memory");
        return -1;
    }

    i = 0;
    *ret = list;

    while ((value = tool_option_next(tool, option, &i)) != NULL) {
        list[(*ret_n)++] = parley_str_c(value);
    }

    return 0;
}


static int
tool_attention_modes(parley_tool_t *tool, parley_cmd_attention_t *c)
{
    unsigned      i;
    const char   *value;
    parley_str_t  rest, word;

    value = tool_option(tool, "modes");

    if (value == NULL) {
        c->offer.modes = PARLEY_CHAT_MODE_ALL;
        return 0;
    }

    for (rest = parley_str_c(value); rest.len > 0;
         rest = parley_str_from(rest, word.len + 1))
    {
        word = parley_str_until(rest, ',');

        for (i = 0;
             i < PARLEY_CHAT_MODES && !parley_str_eq(word, c->chat->modes[i]);
             i++)
        { /* void */ }

        if (i == PARLEY_CHAT_MODES) {
            tool_say("--modes: \"%.*s\" is not a mode", (int) word.len,
                     (const char *) word.data);
            return -1;
        }

        c->offer.modes |= PARLEY_CHAT_MODE_BIT(i);
    }

    return 0;
}


static int
tool_attention_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    unsigned                 n;
    parley_buf_t             b;
    parley_str_t             text;
    parley_json_t            doc;
    parley_chat_event_t      event;
    parley_cmd_attention_t  *c = ctx;

    if (tool_message_read(tool, in, &doc) != 0
        || c->chat->read(c->engine, in->arena, &doc, &event, &in->err) != 0)
    {
        return tool_output_error(tool, in);
    }

    c->in.event = &event;

    if (parley_attention_init(&c->found, in->arena, &c->in, &in->err) != 0) {
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("event"), event.id);
        parley_buf_name(&b, PARLEY_STR("readers"));
        parley_buf_octet(&b, '[');
        (void) tool_attention_readers(tool, c, &b);
        parley_buf_octet(&b, ']');
        tool_output_end(&b);

        return PARLEY_EXIT_OK;
    }

    parley_buf_init(&b, in->arena, 512);
    n = tool_attention_readers(tool, c, &b);

    if (parley_buf_done(&b, &text) != 0) {
        (void) parley_error_memory(&in->err);
        return tool_output_error(tool, in);
    }

    tool_output(text);

    if (n == 0) {
        tool_say("%s: no principal gets the event in its mailbox",
                 in->name);
    }

    return PARLEY_EXIT_OK;
}


/* Writes the verdict of each reader; returns their number. */

static unsigned
tool_attention_readers(const parley_tool_t *tool,
    parley_cmd_attention_t *c, parley_buf_t *b)
{
    unsigned                    i, n;
    const parley_principal_t   *p;
    parley_attention_verdict_t  v;

    for (i = 0, n = 0; i < (c->reader != NULL ? 1 : c->found.nparties); i++) {
        p = c->reader != NULL ? c->reader : c->found.parties[i].principal;
        parley_attention_decide(&c->found, p, &c->offer, &v);

        if (!v.gets && c->reader == NULL) {
            continue;
        }

        if (n++ > 0 && tool->json) {
            parley_buf_octet(b, ',');
        }

        (tool->json ? tool_attention_object
                    : tool_attention_line)(c, b, p, &v);
    }

    return n;
}


static void
tool_attention_line(const parley_cmd_attention_t *c, parley_buf_t *b,
    const parley_principal_t *p, const parley_attention_verdict_t *v)
{
    unsigned  i, n;

    parley_buf_str(b, tool_attention_name(p));
    parley_buf_octet(b, ' ');
    parley_buf_str(b, parley_attention_rows[v->row]);
    parley_buf_octet(b, ' ');
    parley_buf_str(b, c->chat->directednesses[v->directedness]);
    parley_buf_octet(b, ' ');
    parley_buf_str(b, c->chat->policies[v->policy]);
    parley_buf_octet(b, ' ');
    parley_buf_str(b, c->chat->modes[v->mode]);
    parley_buf_octet(b, ' ');

    if (v->deadline_ms < 0) {
        parley_buf_octet(b, '-');

    } else {
        parley_buf_int(b, v->deadline_ms);
    }

    parley_buf_octet(b, ' ');

    if (v->caps == 0) {
        parley_buf_octet(b, '-');
    }

    for (i = 0, n = 0; i < PARLEY_ATTENTION_CAPS; i++) {
        if (v->caps & PARLEY_ATTENTION_BIT(i)) {
            if (n++ > 0) {
                parley_buf_octet(b, ',');
            }

            parley_buf_str(b, parley_attention_caps[i]);
        }
    }

    parley_buf_octet(b, '\n');
}


static void
tool_attention_object(const parley_cmd_attention_t *c, parley_buf_t *b,
    const parley_principal_t *p, const parley_attention_verdict_t *v)
{
    unsigned  i, n;

    struct {
        parley_str_t  name;
        unsigned      is;
    } flags[] = {
        { PARLEY_STR("gets"), v->gets },
        { PARLEY_STR("claims"), v->claims },
        { PARLEY_STR("window"), v->window },
        { PARLEY_STR("interrupt"), v->interrupt },
    };

    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("to"), tool_attention_name(p));
    parley_buf_member(b, PARLEY_STR("row"), parley_attention_rows[v->row]);
    parley_buf_member(b, PARLEY_STR("directedness"),
                      c->chat->directednesses[v->directedness]);
    parley_buf_member(b, PARLEY_STR("policy"), c->chat->policies[v->policy]);
    parley_buf_member(b, PARLEY_STR("mode"), c->chat->modes[v->mode]);

    if (v->deadline_ms >= 0) {
        parley_buf_name(b, PARLEY_STR("deadlineMs"));
        parley_buf_int(b, v->deadline_ms);
    }

    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        parley_buf_name(b, flags[i].name);
        parley_buf_str(b, flags[i].is ? PARLEY_STR("true")
                                      : PARLEY_STR("false"));
    }

    parley_buf_name(b, PARLEY_STR("caps"));
    parley_buf_octet(b, '[');

    for (i = 0, n = 0; i < PARLEY_ATTENTION_CAPS; i++) {
        if (v->caps & PARLEY_ATTENTION_BIT(i)) {
            if (n++ > 0) {
                parley_buf_octet(b, ',');
            }

            parley_buf_json_string(b, parley_attention_caps[i]);
        }
    }

    parley_buf_lit(b, "]}");
}


/* Returns the name of a principal in chat, else its sub. */

static parley_str_t
tool_attention_name(const parley_principal_t *p)
{
    return p->names[PARLEY_PROTO_CHAT].len > 0 ? p->names[PARLEY_PROTO_CHAT]
                                               : p->sub;
}
