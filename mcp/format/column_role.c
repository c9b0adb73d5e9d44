/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of roles and their headings. To add a language, add its words to each row.
 */
#include "mcp/format/column_role.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "helpers/base/buf.h"

#define HEADING_CAP 200 /* bytes of a heading that is looked up; longer ones are fields */

/* Headings as fold() makes them, best first. Those that begin with ":" or "_" are a tool's, and are
 * compared as they are. */
static const struct {
    const char *name; /* of the role */
    const char *names[12];
    const char *words[36];
} roles[COLUMN_ROLES] = {
    [COLUMN_FIELD] = {"field", {NULL}, {NULL}},
    [COLUMN_ID] =
        {"id",
         {":ID", "_id", "id", "nodeid", "node", "key"},
         {"lessonid",      "courseid",   "kursid", "lektionsid", "identifier", "identifiant",
          "identificador", "kennung",    "code",   "coursecode", "kurscode",   "codigo",
          "schlussel",     "schluessel", "kurzel", "kuerzel",    "cle",        "clave",
          "nummer",        "numero",     "number", "nr",         "no",         "n",
          "lesson",        "lektion",    "lecon",  "leccion",    "course",     "kurs",
          "cours",         "curso"}},
    [COLUMN_TITLE] = {"title",
                      {"label", "title", "name", "sharedname", "titel", "titre"},
                      {"titulo",       "nom",        "nombre",      "bezeichnung", "uberschrift",
                       "ueberschrift", "intitule",   "lessontitle", "coursetitle", "kurstitel",
                       "lessonname",   "coursename", "kursname",    "lesson",      "lektion",
                       "lecon",        "leccion",    "course",      "kurs",        "cours",
                       "curso",        "topic",      "thema",       "theme",       "tema",
                       "subject",      "fach",       "sujet",       "asignatura",  "skill",
                       "kompetenz",    "competence", "competencia"}},
    [COLUMN_PREREQUISITES] = {"prerequisites",
                              {"prerequisites", "prerequisite", "prereqs", "prereq",
                               "prerequisiteids", "prerequisiteid", "requires", "requirements",
                               "dependson", "dependencies", "needs"},
                              {"required",
                               "dependency",
                               "predecessors",
                               "predecessor",
                               "priorknowledge",
                               "voraussetzungen",
                               "voraussetzung",
                               "vorausgesetzt",
                               "setztvoraus",
                               "vorkenntnisse",
                               "vorwissen",
                               "vorganger",
                               "vorgaenger",
                               "bautauf",
                               "prerequis",
                               "prealables",
                               "prealable",
                               "connaissancesprealables",
                               "requis",
                               "dependde",
                               "prerrequisitos",
                               "prerrequisito",
                               "prerequisitos",
                               "prerequisito",
                               "requisitos",
                               "requisito",
                               "requisitosprevios",
                               "requisitoprevio",
                               "conocimientosprevios",
                               "requiere",
                               "dependede"}},
    [COLUMN_SOURCE] = {"source",
                       {":START_ID", "_start", "source", "fromnodeid", "sourceid", "fromid",
                        "startid", "sourcenode"},
                       {"from", "start", "quelle", "von", "ausgangsknoten", "startknoten",
                        "origine", "depuis", "de", "noeudsource", "origen", "desde", "fuente",
                        "nodoorigen", "tail"}},
    [COLUMN_TARGET] = {"target",
                       {":END_ID", "_end", "target", "tonodeid", "targetid", "toid", "endid",
                        "targetnode"},
                       {"to", "end", "ziel", "nach", "zu", "zielknoten", "cible", "vers",
                        "noeudcible", "destination", "destino", "hacia", "para", "nododestino",
                        "head", "a"}},
    [COLUMN_TYPE] = {"type",
                     {":TYPE", "_type", "relationshiptype", "type", "relationship", "relation",
                      "interaction", "kind"},
                     {"edgetype", "typ", "art", "beziehung", "beziehungstyp", "beziehungsart",
                      "kantentyp", "typederelation", "typederelacion", "tipo", "relacion",
                      "tipoderelacion", "lien"}},
    [COLUMN_ORDER] = {"order",
                      {"order", "sortorder", "sequencenumber", "sequence", "position"},
                      {"reihenfolge", "sortierung", "ordre", "orden", "secuencia", "posicion"}},
    [COLUMN_CHAPTER] = {"chapter",
                        {"chapter"},
                        {"chaptername", "chaptertitle", "kapitel", "chapitre", "capitulo"}},
    [COLUMN_IGNORE] = {"ignore", {":IGNORE"}, {NULL}},
};

/* Headings of fields, as fold() makes them. Of these a parent, the next row or a related one could
 * be taken for a prerequisite by their content, and the others for an id or a title. */
static const char *const fields[] = {
    "parent",
    "parentid",
    "parents",
    "partof",
    "ischildof",
    "child",
    "children",
    "next",
    "nextid",
    "nextlesson",
    "successor",
    "successors",
    "followedby",
    "leadsto",
    "unlocks",
    "requiredfor",
    "prerequisitefor",
    "related",
    "relatedto",
    "seealso",
    "similar",
    "links",
    "link",
    "references",
    "previous",
    "previousid",
    "replaces",
    "equivalent",
    "corequisite",
    "corequisites",
    "section",
    "unit",
    "module",
    "level",
    "group",
    "category",
    "tags",
    "keywords",
    "description",
    "summary",
    "content",
    "text",
    "notes",
    "note",
    "comment",
    "comments",
    "objective",
    "objectives",
    "goals",
    "author",
    "teacher",
    "instructor",
    "email",
    "url",
    "date",
    "day",
    "week",
    "semester",
    "term",
    "year",
    "grade",
    "room",
    "hours",
    "minutes",
    "duration",
    "credits",
    "status",
    "eltern",
    "elternteil",
    "ubergeordnet",
    "uebergeordnet",
    "teilvon",
    "nachste",
    "naechste",
    "folgt",
    "nachfolger",
    "fuhrtzu",
    "fuehrtzu",
    "verwandt",
    "sieheauch",
    "ahnlich",
    "aehnlich",
    "abschnitt",
    "einheit",
    "modul",
    "stufe",
    "niveau",
    "gruppe",
    "kategorie",
    "schlagworte",
    "beschreibung",
    "zusammenfassung",
    "inhalt",
    "text",
    "notiz",
    "notizen",
    "bemerkung",
    "kommentar",
    "lernziel",
    "lernziele",
    "ziele",
    "autor",
    "lehrer",
    "lehrkraft",
    "dozent",
    "datum",
    "tag",
    "woche",
    "semester",
    "jahr",
    "klasse",
    "raum",
    "stunden",
    "minuten",
    "dauer",
    "suivant",
    "suivante",
    "successeur",
    "successeurs",
    "menea",
    "lie",
    "liea",
    "voiraussi",
    "similaire",
    "groupe",
    "categorie",
    "motscles",
    "resume",
    "contenu",
    "texte",
    "remarque",
    "remarques",
    "commentaire",
    "objectif",
    "objectifs",
    "auteur",
    "enseignant",
    "jour",
    "semaine",
    "semestre",
    "annee",
    "classe",
    "salle",
    "heures",
    "duree",
    "padre",
    "siguiente",
    "sucesor",
    "sucesores",
    "llevaa",
    "relacionado",
    "relacionados",
    "veasetambien",
    "vertambien",
    "seccion",
    "unidad",
    "nivel",
    "grupo",
    "categoria",
    "etiquetas",
    "descripcion",
    "resumen",
    "contenido",
    "texto",
    "nota",
    "notas",
    "comentario",
    "objetivo",
    "objetivos",
    "profesor",
    "fecha",
    "dia",
    "semana",
    "ano",
    "grado",
    "aula",
    "horas",
    "duracion",
};

/* The letters and digits of a heading, in one case and without accents. */
static void fold(const char *heading, size_t len, char folded[HEADING_CAP * 4])
{
    size_t size = 0, kept = 0;
    uint8_t *plain = u8_casefold((const uint8_t *)heading, len, NULL, UNINORM_NFKD, NULL, &size);

    for (size_t at = 0; plain && at < size;) {
        ucs4_t letter;
        int took = u8_mbtouc(&letter, plain + at, size - at);

        if (uc_is_property_alphabetic(letter) || uc_is_digit(letter)) {
            if (kept + (size_t)took < HEADING_CAP * 4 && uc_combining_class(letter) == 0) {
                memcpy(folded + kept, plain + at, (size_t)took);
                kept += (size_t)took;
            }
        }
        at += (size_t)took;
    }
    folded[kept] = '\0';
    free(plain);
}

/* A tool's name, which Neo4j writes after the name of a field and before the group of its ids:
 * "personId:ID(Person)". */
static bool is_tools_name(const char *heading, size_t len, const char *name)
{
    size_t end = strlen(name);

    if (name[0] == '_')
        return len == end && strncasecmp(heading, name, len) == 0;
    for (const char *at = memchr(heading, ':', len); at;
         at = memchr(at + 1, ':', (size_t)(heading + len - at - 1))) {
        size_t left = (size_t)(heading + len - at);

        if (left >= end && strncasecmp(at, name, end) == 0 && (left == end || at[end] == '('))
            return true;
    }
    return false;
}

size_t column_role_rank(enum column_role role, const char *heading, size_t len,
                        enum column_fit *fit)
{
    const char *const *names = roles[role].names, *const *words = roles[role].words;
    const char *colon = memchr(heading, ':', len);
    size_t rank = 1;
    char folded[HEADING_CAP * 4];

    if (len > HEADING_CAP)
        return 0;
    folded[0] = '\0';
    if (!colon || colon + 1 == heading + len) /* ":LABEL" is a tool's, "Label:" a person's */
        fold(heading, len, folded);
    for (; *names; names++, rank++) {
        bool of_tool = strchr(":_", **names);

        *fit = of_tool ? COLUMN_BY_TOOL : COLUMN_BY_NAME;
        if (of_tool ? is_tools_name(heading, len, *names) : strcmp(folded, *names) == 0)
            return rank;
    }
    *fit = COLUMN_BY_WORD;
    for (; *words; words++, rank++)
        if (strcmp(folded, *words) == 0)
            return rank;
    return 0;
}

bool column_role_is_field(const char *heading, size_t len)
{
    char folded[HEADING_CAP * 4];

    if (len > HEADING_CAP)
        return false;
    fold(heading, len, folded);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i], folded) == 0)
            return true;
    return false;
}

json_t *column_same(const char *text, size_t len)
{
    static const char blanks[] = " \t\r\n";
    size_t size = 0;
    uint8_t *same;
    json_t *made;

    for (; len > 0 && strchr(blanks, *text); len--)
        text++;
    while (len > 0 && strchr(blanks, text[len - 1]))
        len--;
    same = u8_casefold((const uint8_t *)text, len, NULL, UNINORM_NFC, NULL, &size);
    made = same ? json_stringn((const char *)same, size) : NULL;
    free(same);
    return made;
}

const char *column_role_name(enum column_role role)
{
    return roles[role].name;
}

enum column_role column_role_find(const char *name)
{
    for (enum column_role role = COLUMN_FIELD; role < COLUMN_ROLES; role++)
        if (strcmp(roles[role].name, name) == 0)
            return role;
    return COLUMN_ROLES;
}

int column_role_check_map(const char *const *map, struct error *err)
{
    for (; map && *map; map++) {
        const char *role = strrchr(*map, '=');

        if (!role || role == *map || column_role_find(role + 1) == COLUMN_ROLES)
            return error_set(err, ERROR_INVALID,
                             "--map %s: must be COLUMN=ROLE, with a role of id, title, "
                             "prerequisites, source, target, type, order, chapter, field and "
                             "ignore: "
                             "--map 'Builds on=prerequisites'",
                             *map);
    }
    return 0;
}

/* A heading may contain "=", a role does not. */
enum column_role column_role_mapped(const char *const *map, const char *heading, size_t len)
{
    for (; map && *map; map++) {
        const char *role = strrchr(*map, '=');
        json_auto_t *wanted = role ? column_same(*map, (size_t)(role - *map)) : NULL,
                    *there = wanted ? column_same(heading, len) : NULL;

        if (wanted && json_equal(wanted, there))
            return column_role_find(role + 1);
    }
    return COLUMN_ROLES;
}
