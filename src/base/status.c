/* Messages of the statuses, and the version. */
#include "hamel/base.h"

const char *hml_status_message(hml_status status)
{
    switch (status) {
#define MESSAGE(name, value, message)                                                                                  \
    case HML_##name: return message;
        HML_STATUS_LIST(MESSAGE)
#undef MESSAGE
    default: return "unknown status";
    }
}

const char *hml_version(void) { return HML_VERSION_STRING; }
