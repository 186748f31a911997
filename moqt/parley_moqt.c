#include <stdio.h>

#include "moqt/parley_moqt.h"


int
parley_moqt_fault_set(parley_moqt_fault_t *fault, parley_moqt_code_t code,
    const char *member, const char *text)
{
    memset(fault, 0, sizeof(parley_moqt_fault_t));

    fault->code = code;
    fault->place = "";
    fault->member = member;
    fault->text = text;

    return -1;
}


parley_str_t
parley_moqt_fault_line(const parley_moqt_fault_t *fault,
    char ret[PARLEY_MOQT_LINE_MAX])
{
    (void) snprintf(ret, PARLEY_MOQT_LINE_MAX, "%s%s%s%s%s", fault->place,
                    fault->place[0] != '\0' ? ": " : "", fault->member,
                    fault->member[0] != '\0' ? ": " : "", fault->text);

    return parley_str_c(ret);
}


int
parley_moqt_code_index(uint64_t code)
{
    int  i;

    static const uint64_t  codes[] = {
#define X(name, number)  number,
        PARLEY_MOQT_CODE_LIST(X)
#undef X
    };

    for (i = 0; i < (int) (sizeof(codes) / sizeof(codes[0])); i++) {
        if (codes[i] == code) {
            return i;
        }
    }

    return -1;
}


const char *
parley_moqt_code_name(uint64_t code)
{
    switch (code) {

#define X(name, number)  case number: return #name;
    PARLEY_MOQT_CODE_LIST(X)
#undef X

    default:
        return "UNKNOWN";
    }
}
