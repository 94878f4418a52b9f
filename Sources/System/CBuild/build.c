#include "CBuild.h"

#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wc23-extensions"

// What is checked out, read when this file is compiled: the compiler compiles it again when these files change.
// Context.gitInformation of a manifest is not used, because SwiftPM's cache of manifests keeps old commits.
#ifdef __has_embed
#if __has_embed("../../.git/HEAD")
static const char head[] = {
#embed "../../.git/HEAD"
    , 0};
#define HAS_HEAD
#endif
#if __has_embed("../../.git/refs/heads/main")
static const char main_branch[] = {
#embed "../../.git/refs/heads/main"
    , 0};
#define HAS_MAIN
#endif
#endif

/// Reads ten hexadecimal digits; 0 if there are fewer.
static uint64_t digits(const char *text) {
    uint64_t value = 0;
    for (int i = 0; i < 10; i++) {
        char digit = text[i];
        if (digit >= '0' && digit <= '9') value = value << 4 | (uint64_t)(digit - '0');
        else if (digit >= 'a' && digit <= 'f') value = value << 4 | (uint64_t)(digit - 'a' + 10);
        else return 0;
    }
    return value;
}

uint64_t viewport_build_commit(void) {
#if defined(VIEWPORT_COMMIT)
    return VIEWPORT_COMMIT;
#elif defined(HAS_HEAD)
    uint64_t detached = digits(head);
    if (detached) return detached;
#if defined(HAS_MAIN)
    static const char branch[] = "ref: refs/heads/main\n";
    for (int i = 0; i < (int)sizeof(branch); i++)
        if (head[i] != branch[i]) return 0;
    return digits(main_branch);
#endif
#endif
    return 0;
}
