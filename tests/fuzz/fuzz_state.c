/* The reader of states, on a robot with every kind of coordinate. */
#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hml_model *model;
    hml_state *state;
    hml_error error = {0};
    if (!model) fuzz_check(hml_load_builtin("ship_crane", NULL, &model, &error) == HML_OK);
    hml_status status = hml_state_load_memory(data, size, NULL, model, &state, &error);
    fuzz_check((status == HML_OK) == (state != NULL));
    if (status) return 0;
    for (int32_t i = 0; i < state->nq; i++) fuzz_check(state->q[i] - state->q[i] == 0);
    for (int32_t i = 0; i < state->nwrenches; i++)
        fuzz_check(state->wrenches[i].frame >= 0 && state->wrenches[i].frame < hml_model_nframes(model));
    hml_state_free(state);
    return 0;
}
