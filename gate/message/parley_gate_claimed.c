/*
 * Names that a failed proof claims, for an operator that looks for the reason.
 * They are not verified.  The log never has the subject.
 */

#include "auth/parley_certificate.h"
#include "core/parley_escape.h"
#include "gate/message/parley_gate_steps.h"
#include "core/parley_hex.h"
#include "auth/parley_jwt.h"


static void parley_gate_claimed_certificate(parley_buf_t *b,
    const parley_certificate_t *certificate);
static void parley_gate_claimed_put(parley_buf_t *b, const char *what,
    parley_str_t s);


int
parley_gate_claimed(parley_gate_t *g, parley_str_t *ret)
{
    parley_buf_t  b;
    parley_str_t  kid, iss;

    *ret = parley_str_none;

    if (g->err->code != PARLEY_E_TOKEN_INVALID
        && g->err->code != PARLEY_E_TOKEN_EXPIRED
        && g->err->code != PARLEY_E_TOKEN_MISSING)
    {
        return 0;
    }

    parley_buf_init(&b, g->arena, 256);

    if (g->proof.certificate != NULL) {
        parley_gate_claimed_certificate(&b, g->proof.certificate);
    }

    if (g->proof.shown.len > 0) {
        parley_jwt_claimed(g->arena, g->in.seed, g->proof.shown, &kid, &iss);

        parley_gate_claimed_put(&b, "key", kid);
        parley_gate_claimed_put(&b, "issuer", iss);
    }

    return parley_buf_done(&b, ret);
}


static void
parley_gate_claimed_certificate(parley_buf_t *b,
    const parley_certificate_t *certificate)
{
    size_t   i;
    uint8_t  print[2 * PARLEY_CERTIFICATE_PRINT];

    for (i = 0; i < certificate->nnames; i++) {
        if (certificate->names[i].kind == PARLEY_CERTIFICATE_SUBJECT) {
            parley_gate_claimed_put(b, "certificate",
                                    certificate->names[i].text);
        }
    }

    (void) parley_hex_write(print, certificate->print,
                            PARLEY_CERTIFICATE_PRINT);

    parley_buf_lit(b, ", SHA-256 \"");
    parley_buf_put(b, print, sizeof(print));
    parley_buf_octet(b, '"');
}


static void
parley_gate_claimed_put(parley_buf_t *b, const char *what, parley_str_t s)
{
    char  text[PARLEY_ESCAPE_LOGGED + 1];

    if (s.len == 0) {
        return;
    }

    parley_buf_lit(b, ", ");
    parley_buf_str(b, parley_str_c(what));
    parley_buf_lit(b, " \"");
    parley_buf_str(b, parley_str_c(parley_escape_line(s, PARLEY_ESCAPE_LOGGED,
                                                      text)));
    parley_buf_octet(b, '"');
}
