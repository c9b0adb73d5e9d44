/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/jwt.h"

#include <string.h>
#include <strings.h>

#include <jose/b64.h>
#include <jose/jws.h>

#include "helpers/base/buf.h"
#include "helpers/base/encode.h"
#include "helpers/base/json.h"

#define NUMERIC_DATE_MAX 1e15 /* seconds, far beyond any clock and exact as a double */

/* All algorithms that are accepted, and the keys that they need (RFC 7518, 3.1). "none" and the
 * symmetric ones are not among them. */
static const struct algorithm {
    const char *name, *key_type, *curve;
} algorithms[] = {
    {"RS256", "RSA", NULL},   {"RS384", "RSA", NULL},   {"RS512", "RSA", NULL},
    {"PS256", "RSA", NULL},   {"PS384", "RSA", NULL},   {"PS512", "RSA", NULL},
    {"ES256", "EC", "P-256"}, {"ES384", "EC", "P-384"}, {"ES512", "EC", "P-521"},
};

static const struct algorithm *find_algorithm(const char *name)
{
    for (size_t i = 0; name && i < sizeof algorithms / sizeof algorithms[0]; i++) {
        if (strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    }
    return NULL;
}

/* ---- a token ---- */

/* One part, which is base64url without padding, as a JSON string; NULL if it is not. */
static json_t *read_part(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!text[i] || !strchr(BASE64URL_DIGITS, text[i]))
            return NULL;
    }
    return len > 0 ? json_stringn(text, len) : NULL;
}

/* Texts with U+0000 are refused: they would be compared, and kept as the holder's id, up to it. So
 * are repeated names (RFC 7519, 4), of which two readers may take different ones. */
static json_t *decode_object(const json_t *part, const char *what, struct error *err)
{
    char bytes[JWT_CAP];
    size_t len = jose_b64_dec(part, bytes, sizeof bytes);
    json_t *object = len != SIZE_MAX ? json_loadb(bytes, len, JSON_REJECT_DUPLICATES, NULL) : NULL;

    if (json_is_object(object))
        return object;
    json_decref(object);
    error_set(err, ERROR_INVALID,
              "%s of the token is not a JSON object, without repeated names and U+0000", what);
    return NULL;
}

static int check_header(struct jwt *jwt, struct error *err)
{
    const json_t *kid = json_object_get(jwt->header, "kid");
    const char *type = json_get_string(jwt->header, "typ");

    jwt->alg = json_get_string(jwt->header, "alg");
    if (!find_algorithm(jwt->alg))
        return error_set(err, ERROR_INVALID,
                         "the token's algorithm is not accepted: sign with RS256, PS256, ES256 or "
                         "their longer forms");
    if (json_object_get(jwt->header, "crit"))
        return error_set(err, ERROR_INVALID, "the token needs an extension (crit) that is unknown");
    if (type && strcasecmp(type, "JWT") != 0 && strcasecmp(type, "at+jwt") != 0 &&
        strcasecmp(type, "application/at+jwt") != 0)
        return error_set(err, ERROR_INVALID,
                         "the token is of another type than an access token: JWT or at+jwt");
    if (kid && (!json_is_string(kid) || json_string_length(kid) > JWT_KID_MAX))
        return error_set(err, ERROR_INVALID,
                         "the token's key id (kid) must be a text of at most %u bytes",
                         JWT_KID_MAX);
    jwt->kid = json_string_value(kid);
    return 0;
}

int jwt_read(const char *token, size_t len, struct jwt *jwt, struct error *err)
{
    const char *payload = memchr(token, '.', len), *signature;
    json_t *parts;

    memset(jwt, 0, sizeof *jwt);
    signature = payload ? memchr(payload + 1, '.', len - (size_t)(payload + 1 - token)) : NULL;
    if (!signature || len > JWT_CAP)
        return error_set(err, ERROR_INVALID, "it is neither a token of this server nor a JWT");
    parts =
        json_pack("{s:o?, s:o?, s:o?}", "protected", read_part(token, (size_t)(payload - token)),
                  "payload", read_part(payload + 1, (size_t)(signature - payload - 1)), "signature",
                  read_part(signature + 1, len - (size_t)(signature + 1 - token)));
    jwt->signed_parts = parts;
    if (!parts || !json_is_string(json_object_get(parts, "protected")) ||
        !json_is_string(json_object_get(parts, "payload")) ||
        !json_is_string(json_object_get(parts, "signature")))
        return error_set(err, ERROR_INVALID, "the token is not three parts in base64url");
    jwt->header = decode_object(json_object_get(parts, "protected"), "the header", err);
    if (!jwt->header || check_header(jwt, err) < 0)
        return -1;
    jwt->claims = decode_object(json_object_get(parts, "payload"), "the payload", err);
    return jwt->claims ? 0 : -1;
}

void jwt_finish(struct jwt *jwt)
{
    json_decref(jwt->header);
    json_decref(jwt->claims);
    json_decref(jwt->signed_parts);
    memset(jwt, 0, sizeof *jwt);
}

/* ---- keys ---- */

/* The members that verifying needs: of a key that a set has, no private part is kept. */
static json_t *public_part(const json_t *key)
{
    static const char *const names[] = {"kty", "kid", "alg", "crv", "n", "e", "x", "y"};
    json_t *part = json_object();

    for (size_t i = 0; part && i < sizeof names / sizeof names[0]; i++) {
        json_t *value = json_object_get(key, names[i]);

        if (value && (!json_is_string(value) || json_object_set(part, names[i], value) < 0)) {
            json_decref(part);
            return NULL;
        }
    }
    return part;
}

static bool is_for_signatures(const json_t *key)
{
    const json_t *operations = json_object_get(key, "key_ops"), *operation;
    bool verifies = operations == NULL;
    size_t i;

    if (json_object_get(key, "use") && !json_string_is(key, "use", "sig"))
        return false;
    json_array_foreach((json_t *)operations, i, operation)
    {
        const char *name = json_string_value(operation);

        verifies |= name && strcmp(name, "verify") == 0;
    }
    return verifies;
}

static bool is_strong(const json_t *key)
{
    size_t bytes;

    if (!json_string_is(key, "kty", "RSA"))
        return json_string_is(key, "kty", "EC");
    bytes = jose_b64_dec(json_object_get(key, "n"), NULL, 0);
    return bytes != SIZE_MAX && bytes >= KEY_RSA_BITS_MIN / 8 && bytes <= KEY_RSA_BITS_MAX / 8;
}

json_t *key_set_read(const char *text, size_t len, struct error *err)
{
    json_auto_t *set = json_read(text, len, "the key set", err);
    const json_t *given = json_object_get(set, "keys"), *key;
    json_t *keys;
    size_t i;

    if (!set)
        return NULL;
    if (!json_is_array(given)) {
        error_set(err, ERROR_MALFORMED, "the key set has no list of keys");
        return NULL;
    }
    keys = json_array();
    json_array_foreach((json_t *)given, i, key)
    {
        json_t *part = json_is_object(key) && is_for_signatures(key) ? public_part(key) : NULL;

        if (part && is_strong(part) && json_array_size(keys) < KEY_SET_KEYS_CAP)
            json_array_append(keys, part);
        json_decref(part);
    }
    if (!keys)
        error_set(err, ERROR_MEMORY, "out of memory for the key set");
    return keys;
}

static bool fits(const json_t *key, const struct jwt *jwt)
{
    const struct algorithm *algorithm = find_algorithm(jwt->alg);

    return json_string_is(key, "kty", algorithm->key_type) &&
           (!algorithm->curve || json_string_is(key, "crv", algorithm->curve)) &&
           (!json_object_get(key, "alg") || json_string_is(key, "alg", jwt->alg)) &&
           (!jwt->kid || json_string_is(key, "kid", jwt->kid));
}

const json_t *key_set_find(const json_t *keys, const struct jwt *jwt)
{
    const json_t *key, *found = NULL;
    size_t i;

    json_array_foreach((json_t *)keys, i, key)
    {
        if (!fits(key, jwt))
            continue;
        if (jwt->kid)
            return key;
        if (found)
            return NULL; /* ambiguous */
        found = key;
    }
    return found;
}

bool jwt_verify(const struct jwt *jwt, const json_t *key)
{
    return jose_jws_ver(NULL, jwt->signed_parts, NULL, key, false);
}

/* ---- claims ---- */

static bool has_audience(const json_t *claim, const char *audience)
{
    const json_t *one;
    size_t i;

    if (json_is_string(claim))
        return strcmp(json_string_value(claim), audience) == 0;
    json_array_foreach((json_t *)claim, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), audience) == 0)
            return true;
    }
    return false;
}

/* A NumericDate (RFC 7519, 2): seconds, perhaps with a fraction. false if it is not one. */
static bool read_time(const json_t *claim, int64_t *seconds)
{
    double value = json_number_value(claim);

    if (!json_is_number(claim) || !(value >= 0 && value < NUMERIC_DATE_MAX))
        return false;
    *seconds = (int64_t)value;
    return true;
}

static unsigned read_scopes(const char *text)
{
    unsigned scopes = 0;

    for (const char *at = text; at && *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");

        scopes |= identity_scopes_named(at, len);
        at += len;
    }
    return scopes;
}

/* One holder has many tokens, one after the other. Its id is what an issuer never gives to another
 * one (RFC 9068, section 2.2, requires both claims). */
static int set_holder(const struct jwt *jwt, const char *issuer, struct identity *identity,
                      struct error *err)
{
    static const char *const names[] = {"preferred_username", "client_id", "sub"};
    const char *sub = json_get_string(jwt->claims, "sub");
    const char *client_id = json_get_string(jwt->claims, "client_id");
    const char *holder[] = {issuer, sub, client_id};
    struct buf BUF_AUTO all = {0};
    struct digest digest = {0};

    if (!sub && !client_id)
        return error_set(err, ERROR_INVALID,
                         "the token must say whose it is: by the claim sub or client_id");
    for (size_t i = 0; i < sizeof holder / sizeof holder[0]; i++)
        buf_add(&all, holder[i] ? holder[i] : "", holder[i] ? strlen(holder[i]) + 1 : 1);
    if (buf_check(&all, "the holder of the token", err) < 0)
        return -1;
    digest_of(all.data, all.len, &digest);
    identity_set_id(identity, &digest);
    for (size_t i = 0; !*identity->name && i < sizeof names / sizeof names[0]; i++) {
        const char *name = json_get_string(jwt->claims, names[i]);

        if (name)
            identity_set_name(identity, name);
    }
    return 0;
}

int jwt_identity(const struct jwt *jwt, const char *issuer, const char *audience, int64_t now,
                 struct identity *identity, struct error *err)
{
    const json_t *not_before = json_object_get(jwt->claims, "nbf");
    const json_t *learner = json_object_get(jwt->claims, "learner");
    int64_t begin = 0, end;

    memset(identity, 0, sizeof *identity);
    if (!json_string_is(jwt->claims, "iss", issuer))
        return error_set(
            err, ERROR_INVALID,
            "the token is of another issuer: this server's metadata names the right one");
    if (!has_audience(json_object_get(jwt->claims, "aud"), audience))
        return error_set(
            err, ERROR_INVALID,
            "the token is for another audience: ask its issuer for one for this server's resource");
    if (!read_time(json_object_get(jwt->claims, "exp"), &end))
        return error_set(err, ERROR_INVALID,
                         "the token must say when it ends: a number of seconds as exp");
    if (end <= now)
        return error_set(err, ERROR_INVALID, "the token has expired: ask its issuer for a new one");
    if (not_before && !read_time(not_before, &begin))
        return error_set(err, ERROR_INVALID,
                         "the token must say from when it is valid as a number of seconds (nbf)");
    if (begin > now + JWT_CLOCK_SKEW_S)
        return error_set(err, ERROR_INVALID, "the token is not valid yet");
    identity->source = IDENTITY_OF_ISSUER;
    identity->scopes = read_scopes(json_get_string(jwt->claims, "scope"));
    identity->end = end;
    if (learner &&
        !(json_is_string(learner) && identity_set_learner(identity, json_string_value(learner))))
        return error_set(err, ERROR_INVALID,
                         "the token's claim learner must be the id of a learner: 32 hexadecimal "
                         "digits in lower case");
    return set_holder(jwt, issuer, identity, err);
}
