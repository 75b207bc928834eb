#include "CLibPQ.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/// Declares a pointer to a function of the library, and defines the function with the same name that calls it.
#define FORWARD(result, name, parameters, arguments) \
    static __typeof__(name) *loaded_##name; \
    result name parameters { return loaded_##name arguments; }

FORWARD(PGconn *, PQconnectStartParams, (const char *const *names, const char *const *values, int expand),
        (names, values, expand))
FORWARD(PostgresPollingStatusType, PQconnectPoll, (PGconn *connection), (connection))
FORWARD(PQconninfoOption *, PQconninfoParse, (const char *text, char **error), (text, error))
FORWARD(void, PQconninfoFree, (PQconninfoOption *options), (options))
FORWARD(void, PQfinish, (PGconn *connection), (connection))
FORWARD(void, PQfreemem, (void *memory), (memory))
FORWARD(ConnStatusType, PQstatus, (const PGconn *connection), (connection))
FORWARD(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection))
FORWARD(const char *, PQparameterStatus, (const PGconn *connection, const char *name), (connection, name))
FORWARD(char *, PQerrorMessage, (const PGconn *connection), (connection))
FORWARD(char *, PQhost, (const PGconn *connection), (connection))
FORWARD(int, PQsocket, (const PGconn *connection), (connection))
FORWARD(int, PQsetnonblocking, (PGconn *connection, int flag), (connection, flag))
FORWARD(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor handler, void *context),
        (connection, handler, context))
FORWARD(int, PQsendQuery, (PGconn *connection, const char *sql), (connection, sql))
FORWARD(int, PQsendPrepare,
        (PGconn *connection, const char *name, const char *sql, int count, const Oid *types),
        (connection, name, sql, count, types))
FORWARD(int, PQsendQueryPrepared,
        (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
         const int *formats, int format),
        (connection, name, count, values, lengths, formats, format))
FORWARD(int, PQsendQueryParams,
        (PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values,
         const int *lengths, const int *formats, int format),
        (connection, sql, count, types, values, lengths, formats, format))
FORWARD(int, PQputCopyData, (PGconn *connection, const char *data, int count), (connection, data, count))
FORWARD(int, PQputCopyEnd, (PGconn *connection, const char *error), (connection, error))
FORWARD(int, PQflush, (PGconn *connection), (connection))
FORWARD(int, PQconsumeInput, (PGconn *connection), (connection))
FORWARD(int, PQisBusy, (PGconn *connection), (connection))
FORWARD(PGresult *, PQgetResult, (PGconn *connection), (connection))
FORWARD(PGnotify *, PQnotifies, (PGconn *connection), (connection))
FORWARD(void, PQclear, (PGresult *result), (result))
FORWARD(ExecStatusType, PQresultStatus, (const PGresult *result), (result))
FORWARD(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
FORWARD(int, PQntuples, (const PGresult *result), (result))
FORWARD(int, PQnfields, (const PGresult *result), (result))
FORWARD(char *, PQfname, (const PGresult *result, int column), (result, column))
FORWARD(Oid, PQftype, (const PGresult *result, int column), (result, column))
FORWARD(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
FORWARD(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
FORWARD(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
FORWARD(char *, PQcmdTuples, (PGresult *result), (result))

static char failure[512];
static const char *outcome;

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(failure, sizeof failure, "%s", dlerror());
        outcome = failure;
        return;
    }
    const struct {
        const char *name;
        void **pointer;
    } functions[] = {
#define LOAD(name) {#name, (void **)&loaded_##name}
        LOAD(PQconnectStartParams), LOAD(PQconnectPoll), LOAD(PQconninfoParse), LOAD(PQconninfoFree), LOAD(PQfinish),
        LOAD(PQfreemem), LOAD(PQstatus), LOAD(PQtransactionStatus), LOAD(PQparameterStatus), LOAD(PQerrorMessage),
        LOAD(PQhost), LOAD(PQsocket), LOAD(PQsetnonblocking), LOAD(PQsetNoticeProcessor), LOAD(PQsendQuery),
        LOAD(PQsendPrepare), LOAD(PQsendQueryPrepared), LOAD(PQsendQueryParams), LOAD(PQputCopyData), LOAD(PQputCopyEnd), LOAD(PQflush), LOAD(PQconsumeInput),
        LOAD(PQisBusy), LOAD(PQgetResult), LOAD(PQnotifies), LOAD(PQclear), LOAD(PQresultStatus), LOAD(PQresultErrorField), LOAD(PQntuples), LOAD(PQnfields),
        LOAD(PQfname), LOAD(PQftype), LOAD(PQgetvalue), LOAD(PQgetlength), LOAD(PQgetisnull), LOAD(PQcmdTuples),
    };
    for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index += 1) {
        *functions[index].pointer = dlsym(library, functions[index].name);
        if (*functions[index].pointer == NULL) {
            snprintf(failure, sizeof failure, "libpq.so.5 has no function %s", functions[index].name);
            outcome = failure;
            return;
        }
    }
}

const char *libpq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return outcome;
}
