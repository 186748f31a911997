/* The settings of the simulated host, read from directives as nginx does. */

#include "gate/settings/parley_directive.h"
#include "translate/parley_engine.h"
#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_VARIANTS  16
#define SIM_HOST_WORDS     12


static const char  sim_host_party_json[] =
    "{\"sub\":\"%s\",\"handle\":\"~%s\",\"c2a\":\"%s:%s\","
    "\"certificates\":[{\"subject\":\"CN=%s\"}]%s%s},";

/* members of a party after its names; url: in the variants with URLs */
static const struct {
    const char  *kind;
    const char  *more;
    const char  *url;
} sim_host_parties[SIM_PARTIES] = {
    [SIM_WEB] = { "service", ",\"surface\":[\"web/main\"]",
                  ",\"deliver\":\"https://peer.example/web\","
                  "\"speaks\":\"c2a\"" },
    [SIM_WILL] = { "human", ",\"accounts\":[\"web/main/will\"]", "" },
    [SIM_ZOE] = { "human", ",\"accounts\":[\"web/main/zoe\"]", "" },
    [SIM_ADA] = { "agent", ",\"parent\":\"lee\",\"human\":\"will\","
                  "\"roles\":[\"crew\"]", "" },
    [SIM_BO] = { "agent", ",\"parent\":\"lee\",\"human\":\"zoe\","
                 "\"roles\":[\"crew\"]", "" },
    [SIM_CY] = { "agent", ",\"human\":\"will\",\"roles\":[\"crew\"]",
                 ",\"deliver\":\"https://peer.example/cy\","
                 "\"speaks\":\"c2a\"" },
    [SIM_EVE] = { "agent", ",\"roles\":[\"crew\"]", "" },
    [SIM_LEE] = { "agent", ",\"human\":\"zoe\"", "" },
};


static int sim_host_url_view(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    parley_arena_t *arena, parley_str_t *ret);


/* shared by all histories */
static struct {
    parley_settings_http_t  http;
    parley_settings_t       outer;
    parley_settings_t       s;
    char                    identities[4096];
} sim_host_settings[SIM_HOST_VARIANTS];

static parley_arena_t          sim_host_arena;
static parley_engine_t        *sim_host_engine;


static int
sim_host_read(void *ctx, parley_str_t name, parley_str_t *ret_path,
    parley_str_t *ret_text, parley_problem_t *problem)
{
    (void) problem;

    *ret_path = name;
    *ret_text = parley_str_c(sim_host_settings[*(unsigned *) ctx].identities);

    return 0;
}


static int
sim_host_compile(void *ctx, parley_str_t text, void **ret,
    parley_problem_t *problem)
{
    (void) ctx;
    (void) text;
    (void) problem;

    *ret = NULL;

    return 0;
}


static void
sim_host_identities(unsigned variant)
{
    char      *p, *end;
    unsigned   i;

    p = sim_host_settings[variant].identities;
    end = p + sizeof(sim_host_settings[variant].identities);

    p += snprintf(p, (size_t) (end - p), "{\"principals\":[");

    for (i = 0; i < SIM_PARTIES; i++) {
        p += snprintf(p, (size_t) (end - p), sim_host_party_json,
                      sim_parties[i], sim_parties[i], sim_host_parties[i].kind,
                      sim_parties[i], sim_parties[i],
                      sim_host_parties[i].more,
                      variant & 1 ? sim_host_parties[i].url : "");
    }

    (void) snprintf(p - 1, (size_t) (end - p), "]}");
}


static void
sim_host_directive(parley_setting_t *set, char *line)
{
    char          *word, *save;
    parley_str_t   words[SIM_HOST_WORDS];

    set->words = words;
    set->n = 0;

    for (word = strtok_r(line, " ", &save);
         word != NULL && set->n < SIM_HOST_WORDS;
         word = strtok_r(NULL, " ", &save))
    {
        /* the settings keep the word */

        if (parley_arena_str(&sim_host_arena, parley_str_c(word),
                             &words[set->n++])
            != 0)
        {
            abort();
        }
    }

    set->row = parley_directive_find(words[0]);

    if (set->row == NULL || parley_directive_read(set) != 0) {
        fprintf(stderr, "simulate: %s: %s\n", words[0].data,
                set->problem->text);
        abort();
    }
}


/*
 * Reads the directives of a variant: bit 0: the surface and an agent have URLs;
 * bit 1: turns; bit 2: the logs keep few records; bit 3: short deadlines.
 */

static void
sim_host_variant(unsigned variant)
{
    char                    line[256];
    unsigned                i;
    parley_problem_t        problem;
    parley_setting_t        set;
    parley_block_facts_t    facts;
    parley_settings_env_t   env;

    static unsigned          number;
    static const char *const  http[] = {
        "parley_zone chat:2m share=100%",
        "parley_identities identities.json",
        "parley_self agent.gateway",
        "parley_deliver /_deliver hosts=peer.example",
    };

    memset(&env, 0, sizeof(env));
    memset(&set, 0, sizeof(set));
    memset(&facts, 0, sizeof(facts));
    memset(&problem, 0, sizeof(problem));

    number = variant;

    env.ctx = &number;
    env.arena = &sim_host_arena;
    env.read = sim_host_read;
    env.compile = sim_host_compile;

    set.env = &env;
    set.http = &sim_host_settings[variant].http;
    set.s = &sim_host_settings[variant].outer;
    set.problem = &problem;

    sim_host_identities(variant);
    parley_settings_http_init(set.http);
    parley_settings_init(&sim_host_settings[variant].outer);
    parley_settings_init(&sim_host_settings[variant].s);

    problem.where.line = 1;
    problem.where.in = PARLEY_IN_HTTP;

    for (i = 0; i < sizeof(http) / sizeof(http[0]); i++) {
        snprintf(line, sizeof(line), "%s", http[i]);
        sim_host_directive(&set, line);
    }

    snprintf(line, sizeof(line), "parley_retain count=%s time=%s",
             variant & 4 ? "12" : "1000", variant & 4 ? "60s" : "1h");
    sim_host_directive(&set, line);

    set.s = &sim_host_settings[variant].s;
    problem.where.in = PARLEY_IN_LOCATION;

    snprintf(line, sizeof(line), "parley_certificate required");
    sim_host_directive(&set, line);
    snprintf(line, sizeof(line), "parley_host c2a quiet=%s claim=60s "
             "deadline=%s loop=1000", variant & 2 ? "2s" : "0",
             variant & 8 ? "40s" : "300s");
    sim_host_directive(&set, line);

    facts.name = PARLEY_STR("/chat");
    facts.location = 1;
    facts.verifies = 1;

    parley_settings_merge(&sim_host_settings[variant].s,
                          &sim_host_settings[variant].outer);

    if (parley_settings_http_settle(&env, set.http, &problem) != 0
        || parley_settings_verify(&env, set.http, set.s, &facts,
                                  sim_host_engine, &problem)
           != 0)
    {
        fprintf(stderr, "simulate: %s\n", problem.text);
        abort();
    }

    parley_settings_window(&env, set.http, set.s);
    parley_gate_plan_prepare(set.http, set.s);
}


void
sim_host_configure(unsigned variant)
{
    parley_error_t  err;

    if (sim_host_engine == NULL) {
        parley_arena_init(&sim_host_arena, &parley_mem_libc, 0);
        parley_error_clear(&err);

        sim_host_engine = parley_engine_create(&parley_mem_libc, &err);

        if (sim_host_engine == NULL) {
            abort();
        }
    }

    variant %= SIM_HOST_VARIANTS;

    if (sim_host_settings[variant].http.host == NULL) {
        sim_host_variant(variant);
    }

    sim_host.variant = variant;
    sim_host.http = &sim_host_settings[variant].http;
    sim_host.s = &sim_host_settings[variant].s;
    sim_host.render.engine = sim_host_engine;
    sim_host.render.http = sim_host.http;
    sim_host.render.seed = 1;
    sim_host.render.view = sim_host_url_view;
    sim_host.render.state = &world.outside.state;
}


static int
sim_host_url_view(const parley_render_t *d, const parley_publication_t *p,
    const parley_principal_t *to, parley_arena_t *arena, parley_str_t *ret)
{
    return parley_host_url_view(d, p, to, sim_host_now(), arena, ret);
}
