// libcurl's functions with variable arguments, as functions that Swift can call. The library is loaded when it is first
// needed, so its functions are passed in as addresses.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

// The macros that check types in C hide the functions.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

typedef CURLcode (*ccurl_easy_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*ccurl_easy_getinfo)(CURL *, CURLINFO, ...);
typedef CURLMcode (*ccurl_multi_setopt)(CURLM *, CURLMoption, ...);

static inline CURLcode ccurl_set_long(void *function, CURL *handle, CURLoption option, long value) {
    return ((ccurl_easy_setopt) function)(handle, option, value);
}

static inline CURLcode ccurl_set_text(void *function, CURL *handle, CURLoption option, const char *value) {
    return ((ccurl_easy_setopt) function)(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(void *function, CURL *handle, CURLoption option, const void *value) {
    return ((ccurl_easy_setopt) function)(handle, option, value);
}

// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode ccurl_set_writer(
    void *function, CURL *handle, CURLoption option,
    size_t (*value)(char *bytes, size_t size, size_t count, void *context)) {
    return ((ccurl_easy_setopt) function)(handle, option, value);
}

static inline CURLcode ccurl_set_socket_opener(
    void *function, CURL *handle,
    curl_socket_t (*value)(void *context, curlsocktype purpose, struct curl_sockaddr *address)) {
    return ((ccurl_easy_setopt) function)(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_get_long(void *function, CURL *handle, CURLINFO info, long *value) {
    return ((ccurl_easy_getinfo) function)(handle, info, value);
}

// The text belongs to the handle.
static inline CURLcode ccurl_get_text(void *function, CURL *handle, CURLINFO info, char **value) {
    return ((ccurl_easy_getinfo) function)(handle, info, value);
}

static inline CURLMcode ccurl_multi_set_long(void *function, CURLM *multi, CURLMoption option, long value) {
    return ((ccurl_multi_setopt) function)(multi, option, value);
}

#endif
