/* Runs the fuzz target on the files of a directory, or on files: replay PATH... */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replayed;

static int replay_file(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    const size_t count = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(bytes, count);
    ++replayed;
    return 0;
}

static int replay(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL)
        return replay_file(path);
    int failed = 0;
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char inside[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name);
        failed |= replay_file(inside);
    }
    closedir(directory);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; ++i)
        failed |= replay(argv[i]);
    printf("%d files\n", replayed);
    return failed || replayed == 0;
}
