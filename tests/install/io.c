/* The installed readers: every robot that comes with the library can be loaded and has a mass. */
#include <stdio.h>

#include <hamel/io.h>

int main(void)
{
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_error error;
        hml_model *model;
        if (hml_load_builtin(hml_builtin_name(i), NULL, &model, &error)) {
            fprintf(stderr, "%s: %s\n", hml_builtin_name(i), error.message);
            return 1;
        }
        printf("%-12s %3d degrees of freedom, %.6g kg\n", hml_model_name(model), hml_model_nv(model),
               hml_model_mass(model));
        int good = hml_model_mass(model) > 0;
        hml_model_free(model);
        if (!good) return 1;
    }
    return hml_builtin_count() > 0 ? 0 : 1;
}
