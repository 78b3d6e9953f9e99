/* Arguments and results of the gateway. See gateway.h. */
#include <stdio.h>

#include "gateway.h"

/* ---- arguments ---- */

const double *gateway_states(const mxArray *array, const char *name, size_t rows, size_t *n)
{
    char sentence[256];
    if (!mxIsDouble(array) || mxIsComplex(array) || mxIsSparse(array)) {
        snprintf(sentence, sizeof sentence, "%s must be a full matrix of real doubles", name);
        gateway_fail(HML_INVALID_ARGUMENT, sentence);
    }
    size_t height = mxGetM(array), width = mxGetN(array);
    if (height == 1 && width == rows && rows != 1) height = rows, width = 1; /* a row is as good as a column */
    if (height != rows || (*n && width != *n)) {
        snprintf(sentence, sizeof sentence, "%s is %lu x %lu; it must have %lu rows and one column per state", name,
                 (unsigned long)mxGetM(array), (unsigned long)mxGetN(array), (unsigned long)rows);
        gateway_fail(HML_INVALID_ARGUMENT, sentence);
    }
    *n = width;
    return mxGetPr(array);
}

const double *gateway_states_or_none(const mxArray *array, const char *name, size_t rows, size_t *n)
{
    return mxIsEmpty(array) ? NULL : gateway_states(array, name, rows, n);
}

double gateway_number(const mxArray *array, const char *name)
{
    char sentence[256];
    if (!mxIsDouble(array) || mxIsComplex(array) || mxGetNumberOfElements(array) != 1) {
        snprintf(sentence, sizeof sentence, "%s must be one real number", name);
        gateway_fail(HML_INVALID_ARGUMENT, sentence);
    }
    return mxGetScalar(array);
}

char *gateway_text(const mxArray *array, const char *name)
{
    char sentence[256], *text = mxIsChar(array) ? mxArrayToString(array) : NULL;
    if (!text) {
        snprintf(sentence, sizeof sentence, "%s must be a text", name);
        gateway_fail(HML_INVALID_ARGUMENT, sentence);
    }
    return text;
}

int32_t gateway_frame(const gateway_robot *r, const char *name)
{
    char sentence[256];
    const int32_t frame = hml_model_find_frame(r->model, name);
    if (frame < 0) {
        snprintf(sentence, sizeof sentence, "there is no frame, body or link '%.80s'", name);
        gateway_fail(HML_NOT_FOUND, sentence);
    }
    return frame;
}

hml_representation gateway_representation(const mxArray *array)
{
    hml_representation r = HML_LEFT;
    if (hml_representation_from_name(gateway_text(array, "the representation"), &r))
        gateway_fail(HML_INVALID_ARGUMENT, "the representation is 'left', 'right', 'mixed' or 'split'");
    return r;
}

double *gateway_room(size_t doubles) { return mxCalloc(doubles + 1, sizeof(double)); }

/* ---- results ---- */

void gateway_set(mxArray *result, const char *name, mxArray *value)
{
    const int field = mxAddField(result, name);
    if (field < 0) gateway_fail(HML_OUT_OF_MEMORY, NULL);
    mxSetFieldByNumber(result, 0, field, value);
}

void gateway_set_number(mxArray *result, const char *name, double value)
{
    gateway_set(result, name, mxCreateDoubleScalar(value));
}

void gateway_set_vector(mxArray *result, const char *name, size_t n, const double *x)
{
    mxArray *value = mxCreateDoubleMatrix(n, 1, mxREAL);
    if (n > 0) memcpy(mxGetPr(value), x, n * sizeof *x);
    gateway_set(result, name, value);
}

void gateway_set_matrices(mxArray *result, const char *name, size_t rows, size_t columns, size_t n, const double *x)
{
    const mwSize dims[3] = {(mwSize)rows, (mwSize)columns, (mwSize)n};
    mxArray *value = mxCreateNumericArray(n == 1 ? 2 : 3, dims, mxDOUBLE_CLASS, mxREAL);
    double *to = mxGetPr(value);
    for (size_t k = 0; k < n; k++, to += rows * columns, x += rows * columns) {
        for (size_t j = 0; j < columns; j++) {
            for (size_t i = 0; i < rows; i++) to[j * rows + i] = x[i * columns + j];
        }
    }
    gateway_set(result, name, value);
}

void gateway_set_names(mxArray *result, const char *name, size_t n, const char *const *names)
{
    mxArray *cells = mxCreateCellMatrix(n, 1);
    for (size_t i = 0; i < n; i++) mxSetCell(cells, (mwIndex)i, mxCreateString(names[i] ? names[i] : ""));
    gateway_set(result, name, cells);
}

/* ---- inputs ---- */

size_t gateway_inputs(const gateway_robot *r, int all, size_t *columns)
{
    size_t m = 0;
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        gateway_check(hml_model_joint(r->model, i, &joint));
        for (int32_t k = 0; (all || joint.actuated) && k < joint.nv; k++) columns[m++] = (size_t)(joint.v + k);
    }
    for (size_t i = 1; i < m; i++) { /* in the order of the velocity */
        const size_t column = columns[i];
        size_t j = i;
        for (; j > 0 && columns[j - 1] > column; j--) columns[j] = columns[j - 1];
        columns[j] = column;
    }
    return m;
}

void gateway_set_input_names(mxArray *result, const gateway_robot *r, size_t m, const size_t *columns)
{
    char text[512];
    mxArray *cells = mxCreateCellMatrix(m, 1);
    for (size_t i = 0; i < m; i++) {
        gateway_check(hml_model_velocity_name(r->model, (int32_t)columns[i], text, sizeof text));
        mxSetCell(cells, (mwIndex)i, mxCreateString(text));
    }
    gateway_set(result, "input_names", cells);
}
