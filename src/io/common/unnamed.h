/* Files that have no name until they are complete: whoever dies while writing leaves nothing behind (Linux). */
#ifndef HML_IO_COMMON_UNNAMED_H
#define HML_IO_COMMON_UNNAMED_H

/* opens one for writing, in the folder of `path`; −1 where the system or the file system has no such thing */
int hmli_unnamed_open(const char *path);

/* gives it a name; 0, or −1 and errno: EEXIST if the name is taken */
int hmli_unnamed_name(int file, const char *path);

#endif
