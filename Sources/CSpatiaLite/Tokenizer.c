#include "CSpatiaLite.h"

#include <stdlib.h>

struct text_tokenizer {
    fts5_tokenizer methods;
    Fts5Tokenizer *tokenizer;
};

/// Returns the interface of FTS5 (https://sqlite.org/fts5.html, "Extending FTS5"), or null.
static fts5_api *interface_of(sqlite3 *connection) {
    fts5_api *api = 0;
    sqlite3_stmt *statement = 0;
    if (sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, 0) != SQLITE_OK) return 0;
    sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", 0);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
    return api;
}

struct text_tokenizer *text_tokenizer_create(sqlite3 *connection, const char *option, const char *value) {
    fts5_api *api = interface_of(connection);
    struct text_tokenizer *made = api ? calloc(1, sizeof *made) : 0;
    if (!made) return 0;
    void *context = 0;
    const char *arguments[] = {option, value};
    if (api->xFindTokenizer(api, "unicode61", &context, &made->methods) == SQLITE_OK
        && made->methods.xCreate(context, arguments, 2, &made->tokenizer) == SQLITE_OK) {
        return made;
    }
    free(made);
    return 0;
}

void text_tokenizer_free(struct text_tokenizer *tokenizer) {
    tokenizer->methods.xDelete(tokenizer->tokenizer);
    free(tokenizer);
}

struct token_receiver {
    void *context;
    void (*receive)(void *context, const char *token, int length);
};

static int pass_on(void *receiver, int flags, const char *token, int length, int start, int end) {
    (void)flags;
    (void)start;
    (void)end;
    const struct token_receiver *to = receiver;
    to->receive(to->context, token, length);
    return SQLITE_OK;
}

int text_tokenizer_run(struct text_tokenizer *tokenizer, const char *text, int length, void *context,
                       void (*receive)(void *context, const char *token, int length)) {
    struct token_receiver to = {context, receive};
    return tokenizer->methods.xTokenize(tokenizer->tokenizer, &to, FTS5_TOKENIZE_DOCUMENT, text, length, pass_on);
}
