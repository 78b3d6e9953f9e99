/* HML_API marks what the library shows, with C linkage under C++. */
#ifndef HAMEL_EXPORT_H
#define HAMEL_EXPORT_H

#if defined _WIN32
#define HML_VISIBLE __declspec(dllexport)
#elif defined __GNUC__
#define HML_VISIBLE __attribute__((visibility("default")))
#else
#define HML_VISIBLE
#endif

#ifdef __cplusplus
#define HML_API extern "C" HML_VISIBLE
#else
#define HML_API extern HML_VISIBLE
#endif

#endif
