#include <curl/curl.h>

// libcurl's own take any number of arguments, which Swift cannot call.
static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_source(CURL *handle, curl_read_callback read, void *source) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    return code ? code : curl_easy_setopt(handle, CURLOPT_READDATA, source);
}

static inline CURLcode curl_set_sink(CURL *handle, curl_write_callback write, void *sink) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, sink);
}

// Not to wait at the end for a name that nobody resolves; older ones cannot.
static inline CURLcode curl_leave_resolving(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}

static inline CURLcode curl_set_watch(CURL *handle, curl_xferinfo_callback watch, void *watched) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watch);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, watched);
    return code ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

static inline long curl_get_reply(CURL *handle) {
    long reply = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply);
    return reply;
}
