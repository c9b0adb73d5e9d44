/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every option of every command is one row. The rows define the members of struct config, parsing,
 * defaults, --help, and the names in the environment (LECTERN_STORE for --store) and in the
 * configuration file. Precedence: command line, environment, file, default. The options for where
 * curricula are stored have their rows in config.c, because commands only use what is derived from
 * them.
 */
#ifndef LECTERN_COMMAND_CONFIG_H
#define LECTERN_COMMAND_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/agent/attempts.h"
#include "mcp/model/model.h"

#define CONFIG_LIST_CAP      32   /* values of an option that may be repeated */
#define CONFIG_ARGUMENTS_CAP 4096 /* words on the command line that are not options */
#define CONFIG_FILE_CAP      ((size_t)64 << 10)

/* The commands that take an option. */
enum config_command {
    CONFIG_SERVE = 1 << 0,
    CONFIG_STDIO = 1 << 1,
    CONFIG_VALIDATE = 1 << 2,
    CONFIG_EXEC = 1 << 3,
    CONFIG_GRAPH = 1 << 4,
    CONFIG_IMPORT = 1 << 5,
    CONFIG_EXPORT = 1 << 6,
    CONFIG_DOCTOR = 1 << 7,
    CONFIG_IMAGE = 1 << 8,
    CONFIG_DEMO = 1 << 9,
    CONFIG_BACKUP = 1 << 10,
    CONFIG_SESSIONS = 1 << 11,
    CONFIG_RENAME = 1 << 12,
    CONFIG_DELETE = 1 << 13,
    CONFIG_TOKEN = 1 << 14,
    CONFIG_SANDBOX = 1 << 15,
    CONFIG_GRADE = 1 << 16,
    CONFIG_LEARNER = 1 << 17,
    CONFIG_SOLVE = 1 << 18,
    CONFIG_TRACE = 1 << 19,
};

#define CONFIG_ANY_STORE                                                                           \
    (CONFIG_SERVE | CONFIG_STDIO | CONFIG_EXEC | CONFIG_GRAPH | CONFIG_IMPORT | CONFIG_EXPORT |    \
     CONFIG_DOCTOR | CONFIG_DEMO | CONFIG_BACKUP | CONFIG_SESSIONS | CONFIG_RENAME |               \
     CONFIG_DELETE | CONFIG_LEARNER | CONFIG_SOLVE | CONFIG_TRACE)
#define CONFIG_ANY_ANALYSIS                                                                        \
    (CONFIG_SERVE | CONFIG_STDIO | CONFIG_EXEC | CONFIG_DOCTOR | CONFIG_SOLVE)
#define CONFIG_ANY_MODEL   (CONFIG_SERVE | CONFIG_STDIO | CONFIG_SOLVE)
#define CONFIG_ANY_SANDBOX (CONFIG_ANY_ANALYSIS | CONFIG_GRADE)
#define CONFIG_ANY                                                                                 \
    (CONFIG_ANY_STORE | CONFIG_VALIDATE | CONFIG_IMAGE | CONFIG_TOKEN | CONFIG_SANDBOX |           \
     CONFIG_GRADE)

/* ROW(group in --help, name, member, type, metavar or NULL, default as text or NULL if the help
 * says it, minimum and maximum of a number, commands, help). */
#define CONFIG_OPTIONS(ROW)                                                                        \
    ROW(COMMAND, "node", node, TEXT, "ID", NULL, 0, 0, CONFIG_GRAPH,                               \
        "node that the query is about, by id or title")                                            \
    ROW(COMMAND, "from", from, TEXT, "ID", NULL, 0, 0, CONFIG_GRAPH,                               \
        "first node of a path, by id or title")                                                    \
    ROW(COMMAND, "to", to, TEXT, "ID", NULL, 0, 0, CONFIG_GRAPH,                                   \
        "last node of a path, by id or title")                                                     \
    ROW(COMMAND, "types", types, LIST, "TYPE", NULL, 0, 0, CONFIG_GRAPH,                           \
        "relationship type to follow; may be repeated (default: depends on the query)")            \
    ROW(COMMAND, "limit", limit, NUMBER, "N", "0", 0, 500, CONFIG_GRAPH,                           \
        "maximum number of rows; 0 uses the limit of the query")                                   \
    ROW(COMMAND, "words", words, FLAG, NULL, NULL, 0, 0, CONFIG_GRAPH,                             \
        "count the words of lessons: with outline, order and levels")                              \
    ROW(COMMAND, "parts", parts, NUMBER, "N", "0", 0, 500, CONFIG_GRAPH,                           \
        "into how many parts pace cuts the teaching order")                                        \
    ROW(COMMAND, "title", title, TEXT, "TEXT", NULL, 0, 0, CONFIG_IMPORT,                          \
        "title of the new session (default: the title in the file)")                               \
    ROW(COMMAND, "untyped", untyped, TEXT, "TYPE", NULL, 0, 0, CONFIG_IMPORT,                      \
        "type of relationships that have none in the file, such as PREREQUISITE where they mean "  \
        "order (default: LEADS_TO)")                                                               \
    ROW(COMMAND, "map", map, LIST, "COLUMN=ROLE", NULL, 0, 0, CONFIG_IMPORT,                       \
        "role of a column of a sheet: id, title, prerequisites, source, target, type, order, "     \
        "chapter, field or ignore; may be repeated (default: chosen by headings and content)")     \
    ROW(COMMAND, "into", into, TEXT, "SESSION", NULL, 0, 0, CONFIG_IMPORT,                         \
        "session to update, by id or title, as one change: nodes by their ids, new ones added "    \
        "(default: a new session)")                                                                \
    ROW(COMMAND, "delete-missing", delete_missing, FLAG, NULL, NULL, 0, 0, CONFIG_IMPORT,          \
        "with --into: delete the nodes and relationships that are not in the file")                \
    ROW(COMMAND, "dry-run", dry_run, FLAG, NULL, NULL, 0, 0, CONFIG_IMPORT,                        \
        "report what the file contains and which rules it breaks, and list the first lessons; "    \
        "write nothing")                                                                           \
    ROW(COMMAND, "output", output, TEXT, "PATH", NULL, 0, 0, CONFIG_EXPORT,                        \
        "file or folder to write, also -o PATH (default: standard output)")                        \
    ROW(COMMAND, "format", format, TEXT, "NAME", NULL, 0, 0, CONFIG_IMPORT | CONFIG_EXPORT,        \
        "json, csv, case (1EdTech CASE 1.0) or markdown; for import also graphml, gexf, xlsx, "    \
        "olx (Open edX), cartridge (IMS) and text (default: chosen by the path)")                  \
    ROW(COMMAND, "force", force, FLAG, NULL, NULL, 0, 0, CONFIG_EXPORT,                            \
        "replace the folder of an earlier export, or a file that is not an export")                \
    ROW(COMMAND, "yes", yes, FLAG, NULL, NULL, 0, 0, CONFIG_DELETE | CONFIG_LEARNER,               \
        "delete without asking for the title or the name")                                         \
    ROW(COMMAND, "learners", of_learners, FLAG, NULL, NULL, 0, 0, CONFIG_BACKUP,                   \
        "copy the learners instead, which no other backup contains")                               \
    ROW(COMMAND, "goal", goal, TEXT, "ID", NULL, 0, 0, CONFIG_LEARNER,                             \
        "add: the node that the learner wants to reach, by id; needs --session")                   \
    ROW(COMMAND, "tier", tier, TEXT, "NAME", NULL, 0, 0, CONFIG_LEARNER,                           \
        "add: name of the tier of the learner")                                                    \
    ROW(COMMAND, "mirror", mirror, LIST, "URL", NULL, 0, 0, CONFIG_SANDBOX | CONFIG_IMAGE,         \
        "mirror of Debian's archive to ask first, such as http://deb.debian.org/debian; may be "   \
        "repeated")                                                                                \
    ROW(COMMAND, "dump-policy", dump_policy, FLAG, NULL, NULL, 0, 0, CONFIG_VALIDATE,              \
        "print the tables of the policy as JSON")                                                  \
    ROW(COMMAND, "warnings", warnings, FLAG, NULL, NULL, 0, 0, CONFIG_EXEC,                        \
        "show Python's warnings on standard error (default: hidden)")                              \
    ROW(COMMAND, "batch", batch, TEXT, "FILE", NULL, 0, 0, CONFIG_EXEC,                            \
        "run the programs of this JSON file side by side: [{\"name\", \"code\"}, ...]")            \
    ROW(COMMAND, "trace", trace, TEXT, "FILE", NULL, 0, 0, CONFIG_SOLVE,                           \
        "write the messages of the task and its requests to models to this file, as JSON")         \
    ROW(COMMAND, "continue", go_on, TEXT, "ID", NULL, 0, 0, CONFIG_SOLVE,                          \
        "go on with a task whose process has ended, instead of a question; lectern trace lists "   \
        "them")                                                                                    \
    ROW(COMMAND, "otlp", otlp, FLAG, NULL, NULL, 0, 0, CONFIG_TRACE,                               \
        "print the task as OTLP JSON, which programs that draw traces import")                     \
    ROW(COMMAND, "json", json, FLAG, NULL, NULL, 0, 0,                                             \
        CONFIG_VALIDATE | CONFIG_EXEC | CONFIG_DOCTOR | CONFIG_SESSIONS | CONFIG_GRADE |           \
            CONFIG_LEARNER | CONFIG_SOLVE | CONFIG_TRACE,                                          \
        "print the result as JSON")                                                                \
    ROW(SERVER, "host", host, TEXT, "ADDRESS", "127.0.0.1", 0, 0, CONFIG_SERVE | CONFIG_DOCTOR,    \
        "address to listen on; one other than loopback needs --token-file, --issuer or --no-auth") \
    ROW(SERVER, "port", port, NUMBER, "N", "8001", 0, 65535, CONFIG_SERVE,                         \
        "port to listen on; 0 chooses a free port")                                                \
    ROW(SERVER, "allow-origin", allow_origin, LIST, "ORIGIN", NULL, 0, 0, CONFIG_SERVE,            \
        "allow web pages of this origin to call the server; may be repeated")                      \
    ROW(SERVER, "allow-host", allow_host, LIST, "NAME", NULL, 0, 0, CONFIG_SERVE,                  \
        "accept this name in the Host header too; may be repeated")                                \
    ROW(SIGN_IN, "token-file", token_file, TEXT, "FILE", NULL, 0, 0,                               \
        CONFIG_SERVE | CONFIG_DOCTOR | CONFIG_TOKEN,                                               \
        "accept the tokens whose lines are in this file; `lectern token` makes them")              \
    ROW(SIGN_IN, "issuer", issuer, TEXT, "URL", NULL, 0, 0, CONFIG_SERVE,                          \
        "accept the access tokens of this OAuth or OpenID issuer, which are JWTs")                 \
    ROW(SIGN_IN, "audience", audience, TEXT, "URL", NULL, 0, 0, CONFIG_SERVE,                      \
        "what those tokens must be for: the address of this server as its issuer knows it")        \
    ROW(SIGN_IN, "no-auth", no_auth, FLAG, NULL, NULL, 0, 0, CONFIG_SERVE,                         \
        "listen on an address other than loopback without sign-in: anyone who reaches it can "     \
        "edit")                                                                                    \
    ROW(SIGN_IN, "public-url", public_url, TEXT, "URL", NULL, 0, 0, CONFIG_SERVE,                  \
        "where clients reach the server, if a proxy is before it: https://lectern.example.org")    \
    ROW(SIGN_IN, "tls-cert", tls_cert, TEXT, "FILE", NULL, 0, 0, CONFIG_SERVE,                     \
        "speak TLS with this certificate and its chain, in PEM form")                              \
    ROW(SIGN_IN, "tls-key", tls_key, TEXT, "FILE", NULL, 0, 0, CONFIG_SERVE,                       \
        "private key of the certificate, in PEM form")                                             \
    ROW(SIGN_IN, "token-requests", token_requests, NUMBER, "N", "6000", 0, 1000000, CONFIG_SERVE,  \
        "requests a minute that one token may send; 0: any number")                                \
    ROW(SIGN_IN, "token-analyses", token_analyses, NUMBER, "N", "16", 0, 1000, CONFIG_SERVE,       \
        "analyses that one token may have at once; 0: any number")                                 \
    ROW(COMMAND, "scope", scope, TEXT, "SCOPE", "read", 0, 0, CONFIG_TOKEN,                        \
        "what the token allows: read, edit, learn (the tutor tools) or operate (learners)")        \
    ROW(COMMAND, "end", end, TEXT, "DAY", NULL, 0, 0, CONFIG_TOKEN,                                \
        "when it ends, in UTC: 2027-01-31 or 2027-01-31T12:00:00Z (default: never)")               \
    ROW(SERVER, "body-cap", body_cap, NUMBER, "MIB", "16", 1, 128, CONFIG_SERVE,                   \
        "maximum size of a request body, in MiB")                                                  \
    ROW(SERVER, "toolset", toolset, TEXT, "SET", "editor", 0, 0, CONFIG_SERVE | CONFIG_STDIO,      \
        "tools that MCP clients reach: editor, tutor (for a model that teaches), solve (answers "  \
        "of planner, coder and debugger), several of these with commas, or all")                   \
    ROW(TUTOR, "learner", learner, TEXT, "ID", NULL, 0, 0, CONFIG_STDIO | CONFIG_TOKEN,            \
        "the one learner of the tutor tools; `lectern learner list` shows the ids")                \
    ROW(TUTOR, "tiers", tiers, TEXT, "FILE", NULL, 0, 0,                                           \
        CONFIG_SERVE | CONFIG_STDIO | CONFIG_LEARNER,                                              \
        "JSON file with the tiers of learners, read again on SIGHUP (default: one tier)")          \
    ROW(TUTOR, "exercises", exercises, TEXT, "FILE", NULL, 0, 0,                                   \
        CONFIG_SERVE | CONFIG_STDIO | CONFIG_LEARNER,                                              \
        "JSON file with exercises beside a service that does not store them")                      \
    ROW(SERVER, "no-demo", no_demo, FLAG, NULL, NULL, 0, 0, CONFIG_SERVE,                          \
        "do not load the demo curriculum into an empty store")                                     \
    ROW(STORE, "component-types", component_types, TEXT, "FILE", NULL, 0, 0, CONFIG_ANY_STORE,     \
        "JSON file with further component types: [{\"name\", \"use\", \"parameters\": "            \
        "[{\"name\", \"type\", \"required\", \"choices\"}]}]")                                     \
    ROW(STORE, "session", session, TEXT, "SID", NULL, 0, 0,                                        \
        CONFIG_STDIO | CONFIG_EXEC | CONFIG_GRAPH | CONFIG_TOKEN | CONFIG_LEARNER | CONFIG_SOLVE | \
            CONFIG_TRACE,                                                                          \
        "session id of the curriculum")                                                            \
    ROW(STORE, "query-timeout", query_timeout, NUMBER, "SECONDS", "30", 1, 600,                    \
        CONFIG_SERVE | CONFIG_STDIO | CONFIG_EXEC | CONFIG_GRAPH | CONFIG_SOLVE,                   \
        "time limit for one graph query")                                                          \
    ROW(ANALYSES, "sandbox", sandbox, TEXT, "ENGINE", "auto", 0, 0, CONFIG_ANY_SANDBOX,            \
        "docker, local (bubblewrap), process, or auto: the first of these that works; process "    \
        "only on loopback")                                                                        \
    ROW(ANALYSES, "cache", cache, TEXT, "DIR", NULL, 0, 0,                                         \
        CONFIG_ANY_SANDBOX | CONFIG_SANDBOX | CONFIG_IMAGE,                                        \
        "folder of the sandbox's Python (default: /var/cache/lectern for root, otherwise "         \
        "$XDG_CACHE_HOME/lectern)")                                                                \
    ROW(ANALYSES, "sandbox-uids", sandbox_uids, TEXT, "FIRST-LAST", "70000-99999", 0, 0,           \
        CONFIG_ANY_SANDBOX,                                                                        \
        "user ids of sandboxes, one each: of containers, and if the server is root, of local and " \
        "process")                                                                                 \
    ROW(ANALYSES, "profile", profile, TEXT, "P", "data-science", 0, 0,                             \
        CONFIG_ANY_ANALYSIS | CONFIG_VALIDATE | CONFIG_SANDBOX | CONFIG_IMAGE,                     \
        "modules that analyses may import: minimal, data-science, visualization, or those of a "   \
        "file P.json of --profiles")                                                               \
    ROW(ANALYSES, "profiles", profiles, TEXT, "DIR", NULL, 0, 0,                                   \
        CONFIG_ANY_ANALYSIS | CONFIG_VALIDATE | CONFIG_SANDBOX | CONFIG_IMAGE,                     \
        "folder with the files of further profiles (default: profiles in --share)")                \
    ROW(ANALYSES, "isolation", isolation, TEXT, "WHAT", "auto", 0, 0, CONFIG_ANY_SANDBOX,          \
        "execution: a new sandbox for each analysis; session: one sandbox for each session, "      \
        "which forks an interpreter for each analysis; auto: a new sandbox while one is warm, "    \
        "otherwise that of the session")                                                           \
    ROW(ANALYSES, "timeout", timeout, NUMBER, "SECONDS", "5", 1, 60, CONFIG_ANY_SANDBOX,           \
        "time limit for one analysis")                                                             \
    ROW(ANALYSES, "warm", warm, TEXT, "KIND=N,...", NULL, 0, 0, CONFIG_SERVE | CONFIG_STDIO,       \
        "number of warm sandboxes of each kind (default: bare=2,data=1,plot=0)")                   \
    ROW(ANALYSES, "stdout-cap", stdout_cap, NUMBER, "N", "10000", 100, 64000,                      \
        CONFIG_SERVE | CONFIG_STDIO,                                                               \
        "maximum number of characters of output that a model receives; longer output keeps its "   \
        "beginning and end")                                                                       \
    ROW(ANALYSES, "stderr-cap", stderr_cap, NUMBER, "N", "5000", 100, 16000,                       \
        CONFIG_SERVE | CONFIG_STDIO, "the same for standard error")                                \
    ROW(ANALYSES, "docker-host", docker_host, TEXT, "URL", NULL, 0, 0,                             \
        CONFIG_ANY_SANDBOX | CONFIG_IMAGE,                                                         \
        "Docker daemon (default: $DOCKER_HOST, otherwise the usual socket)")                       \
    ROW(ANALYSES, "image", image, TEXT, "NAME", "lectern-sandbox:" LECTERN_VERSION, 0, 0,          \
        CONFIG_ANY_SANDBOX | CONFIG_IMAGE, "name of the sandbox image")                            \
    ROW(ANALYSES, "runtime", runtime, TEXT, "NAME", NULL, 0, 0, CONFIG_ANY_SANDBOX,                \
        "container runtime, such as kata (default: the daemon's)")                                 \
    ROW(ANALYSES, "share", share, TEXT, "DIR", NULL, 0, 0,                                         \
        CONFIG_ANY_SANDBOX | CONFIG_IMAGE | CONFIG_DEMO | CONFIG_SANDBOX,                          \
        "folder with the runner and its files (default: beside the binary)")                       \
    ROW(CHAT, "llm-url", llm_url, TEXT, "URL", NULL, 0, 0, CONFIG_ANY_MODEL,                       \
        "model service with the Anthropic Messages API, without /v1 (default: "                    \
        "$ANTHROPIC_BASE_URL, otherwise " MODEL_DEFAULT_URL                                        \
        "). The key comes from $ANTHROPIC_API_KEY, or a bearer token from $ANTHROPIC_AUTH_TOKEN")  \
    ROW(CHAT, "llm-model", llm_model, TEXT, "NAME", MODEL_DEFAULT_NAME, 0, 0, CONFIG_ANY_MODEL,    \
        "model to use")                                                                            \
    ROW(CHAT, "attempts", attempts, NUMBER, "N", "3", 1, ATTEMPTS_MOST, CONFIG_ANY_MODEL,          \
        "failed attempts at the code of one question, one after the other; then it is answered "   \
        "without more")                                                                            \
    ROW(CHAT, "chat-solve", chat_solve, TEXT, "WHEN", "auto", 0, 0, CONFIG_SERVE,                  \
        "default of the page's switch that has questions answered by the roles of `solve`: on, "   \
        "off, or auto, which is on if --role names a model for the planner")                       \
    ROW(SOLVE, "role", role, LIST, "ROLE=MODEL[@URL]", NULL, 0, 0, CONFIG_ANY_MODEL,               \
        "model of a role, planner, coder, debugger, answer or escalate (which is asked when "      \
        "another refuses or is overloaded); may be repeated (default: that of --llm-model). The "  \
        "key of an own URL comes from $LECTERN_KEY_PLANNER and so on")                             \
    ROW(SOLVE, "planner", planner, TEXT, "HOW", "auto", 0, 0, CONFIG_ANY_MODEL,                    \
        "auto: rules, then a model; rules: no model is asked; model: no rule plans")               \
    ROW(SOLVE, "budget", budget, LIST, "NAME=N", NULL, 0, 0, CONFIG_ANY_MODEL,                     \
        "bound of one question, for all roles: requests=12, input=100000 and output=16000 "        \
        "tokens, seconds=120, cost (default: any); may be repeated")                               \
    ROW(SOLVE, "prices", prices, TEXT, "FILE", NULL, 0, 0, CONFIG_ANY_MODEL,                       \
        "JSON file with the prices of models for a million tokens: {\"currency\", \"models\": "    \
        "{NAME: {\"input\", \"output\", \"cache_read\", \"cache_write\"}}}")                       \
    ROW(GENERAL, "log", log, TEXT, "LEVEL", NULL, 0, 0, CONFIG_ANY,                                \
        "error, warning, info or debug (default: info for serve, warning for other commands)")     \
    ROW(GENERAL, "help", help, FLAG, NULL, NULL, 0, 0, CONFIG_ANY, "show this help")

#define CONFIG_MEMBER_TEXT(member)                    const char *member;
#define CONFIG_MEMBER_NUMBER(member)                  long member;
#define CONFIG_MEMBER_FLAG(member)                    bool member;
#define CONFIG_MEMBER_LIST(member)                    const char *member[CONFIG_LIST_CAP + 1];
#define CONFIG_MEMBER(group, name, member, type, ...) CONFIG_MEMBER_##type(member)

/* A text without default and value is NULL; a list is NULL-terminated. */
struct config {
    CONFIG_OPTIONS(CONFIG_MEMBER)
    /* "sqlite:PATH", or "http://HOST:PORT#COPY?seconds=N" with the path of the copy */
    const char *store;
    const char *learners; /* the same for the learners, who are never in a service */
    const char *arguments[CONFIG_ARGUMENTS_CAP + 1]; /* NULL-terminated; borrowed from argv */
    size_t argument_count;
    struct config_private *private; /* owns what the struct points to */
};

/* argv[0] is the first word after the name of the command. Returns 0, or -1 with ERROR_INVALID that
 * names the option and the nearest one. Call config_finish in any case. */
int config_read(struct config *config, enum config_command command, int argc, char **argv,
                struct error *err);
void config_finish(struct config *config);

/* Has config_finish call release(kept). */
void config_keep(const struct config *config, void *kept, void (*release)(void *));

/* The options of one command in groups, with their defaults, wrapped at 80 columns. */
void config_help(enum config_command command, struct buf *to);

/* One option, for texts about all of them. */
struct config_option {
    const char *group, *name, *metavar, *initial, *help; /* metavar, initial: NULL if none */
    int commands;
};

/* The options in the order of the groups, from *next = 0; false after the last. */
bool config_next_option(size_t *next, struct config_option *option);

/* The path of a file such as "runner" or "interpreter.py": beside the binary in a build folder,
 * else under share/lectern. */
int config_share_file(const struct config *config, const char *name, char *path, size_t size,
                      struct error *err);

/* The model service, from options and environment. Keys come only from the environment, because
 * every user of the machine can read a command line. Call it before the first thread starts; texts
 * are borrowed from the config and the environment. */
void config_model(const struct config *config, struct model_config *model);

#endif
