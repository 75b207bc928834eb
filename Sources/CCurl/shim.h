#include <curl/curl.h>
#include <sys/socket.h>

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

static inline long curl_get_reply(CURL *handle) {
    long reply = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply);
    return reply;
}

// Whether the last transfer used a connection of an earlier one.
static inline int curl_used_kept_connection(CURL *handle) {
    long connects = 0;
    return curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &connects) == CURLE_OK && connects == 0;
}

static inline CURLcode curl_set_header_sink(CURL *handle, curl_write_callback write, void *sink) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, write);
    return code ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, sink);
}

// Copies the bytes, which are sent by POST.
static inline CURLcode curl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, count ? bytes : "");
}

static inline CURLcode curl_set_socket_opener(CURL *handle, curl_opensocket_callback open, void *opener) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
    return code ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, opener);
}

static inline const struct sockaddr *curl_socket_address(const struct curl_sockaddr *address) { return &address->addr; }

static inline curl_socket_t curl_no_socket(void) { return CURL_SOCKET_BAD; }

// Programs that the server starts do not get the socket.
static inline curl_socket_t curl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Called when a transfer has a connection, a new one or a kept one, right before it sends.
static inline CURLcode curl_set_prerequisite(CURL *handle, curl_prereq_callback check, void *checked) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, check);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, checked);
}

static inline CURLMcode curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
