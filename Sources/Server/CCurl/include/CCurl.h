#pragma once

// libcurl's setters and getters are variadic, which Swift cannot call. One typed function per kind of argument stands
// in for them. The compile-time type check of curl.h would need a constant option, so it is off; the types here do its
// work.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode ccurl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_source(CURL *handle, curl_read_callback read, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READDATA, context) : code;
}

static inline CURLcode ccurl_set_sink(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

// Gets each line of the server's replies.
static inline CURLcode ccurl_set_reply_sink(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, write);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

// The buffer has CURL_ERROR_SIZE bytes, and stays until the transfer ends.
static inline CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

// The bytes are copied.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, long count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, count);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

static inline CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context) : code;
}

static inline CURLcode ccurl_set_progress(CURL *handle, curl_xferinfo_callback progress, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) : code;
}

static inline CURLcode ccurl_set_on_socket(CURL *handle, curl_sockopt_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, callback);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, context) : code;
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

// The text belongs to the handle, and is NULL when the answer has none.
static inline CURLcode ccurl_get_content_type(CURL *handle, const char **text) {
    return curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, text);
}

static inline CURLcode ccurl_get_time(CURL *handle, CURLINFO info, curl_off_t *microseconds) {
    return curl_easy_getinfo(handle, info, microseconds);
}
