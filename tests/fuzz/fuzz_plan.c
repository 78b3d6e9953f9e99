/* The reader of optimal control problems: what it accepts is checked, and says where it is wrong or has knots and inputs. */
#include "fuzz_load.h"
#include "hamel/control.h"
#include "hamel/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hml_plan_file *plan = NULL;
    hml_error error = {0};
    if (memchr(data, '/', size)) return 0; /* no models from elsewhere */
    const hml_status status = hml_plan_load_memory(data, size, NULL, NULL, &plan, &error);
    fuzz_check((status == HML_OK) == (plan != NULL));
    fuzz_check(status == HML_OK || status == HML_OUT_OF_MEMORY || error.message[0]);
    if (status) return 0;
    hml_error fault = {0};
    if (hml_problem_check(plan->problem, &fault) == HML_OK)
        fuzz_check(hml_problem_knots(plan->problem) > 0 && hml_problem_inputs(plan->problem) > 0);
    else
        fuzz_check(fault.message[0] == '/');
    hml_plan_free(plan);
    return 0;
}
