// The heap of the module, which has no C library: blocks of powers of two, kept in lists when they are freed.

#include <stddef.h>
#include <stdint.h>

enum { PREFIX = 16, PAGE = 1 << 16 };

/// What lies before a block: its power while it is used.
union prefix {
    uint32_t power;
    union prefix *next;
    char bytes[PREFIX];
};

static union prefix *lists[32];
/// The memory that was never given out.
static uintptr_t start, end;

static union prefix *fresh(uint32_t power) {
    uintptr_t length = (uintptr_t)1 << power;
    if (end - start < length) {
        uintptr_t pages = (length + PAGE - 1) / PAGE;
        size_t last = __builtin_wasm_memory_grow(0, pages);
        if (last == (size_t)-1) return NULL;
        // Nothing else grows the memory, but what remains of it is too small to be kept.
        if (last * PAGE != end) start = last * PAGE;
        end = (last + pages) * PAGE;
    }
    union prefix *block = (union prefix *)start;
    start += length;
    return block;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    // Sixteen suffices for every type of the module.
    if (alignment > PREFIX || size > (size_t)1 << 30) return 22;
    uint32_t power = 32 - (uint32_t)__builtin_clz((uint32_t)size + PREFIX - 1);
    if (power < 5) power = 5;
    union prefix *block = lists[power];
    if (block) lists[power] = block->next;
    else block = fresh(power);
    if (!block) return 12;
    block->power = power;
    *result = block + 1;
    return 0;
}

void free(void *pointer) {
    if (!pointer) return;
    union prefix *block = (union prefix *)pointer - 1;
    uint32_t power = block->power;
    block->next = lists[power];
    lists[power] = block;
}
