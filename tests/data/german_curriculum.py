# SPDX-License-Identifier: GPL-3.0-or-later
"""A small curriculum in German, for what must not depend on English: stems, plurals and the letters of another language."""

TITLE = "Verhältnisse und Prozente"
# id, title, chapter, what it is for, components
LESSONS = (
    ("L01", "Teiler und Vielfache", "Zahlen", "Teiler einer Zahl finden und Vielfache aufzählen.", (
        ("paragraph", "Wer teilt, sucht Zahlen, die ohne Rest aufgehen. Die Zahl 12 hat die Teiler 1, 2, 3, 4, 6 und 12."),
        ("definition", "Teiler", "Eine Zahl, durch die eine andere ohne Rest geteilt werden kann."),
        ("worked-example", "Welche Teiler hat 18?", "Man prüft der Reihe nach 1, 2, 3 und so weiter.", "1, 2, 3, 6, 9, 18"))),
    ("L02", "Brüche kürzen und erweitern", "Zahlen", "Gleichwertige Brüche durch Kürzen und Erweitern bilden.", (
        ("paragraph", "Ein Bruch behält seinen Wert, wenn Zähler und Nenner mit derselben Zahl multipliziert werden."),
        ("definition", "Kürzen", "Zähler und Nenner eines Bruchs durch dieselbe Zahl teilen."),
        ("worked-example", "Kürze 12/18.", "Beide Zahlen sind durch 6 teilbar.", "2/3"))),
    ("L03", "Größen und Einheiten", "Zahlen", "Längen, Massen und Zeiten in andere Einheiten umrechnen.", (
        ("paragraph", "Zu jeder Größe gehört eine Einheit. Ein Kilometer hat tausend Meter, eine Stunde hat sechzig Minuten."),
        ("callout-box", "Vor dem Rechnen werden alle Größen in dieselbe Einheit gebracht."))),
    ("L04", "Was ein Verhältnis sagt", "Verhältnisse", "Ein Verhältnis lesen, schreiben und seine Reihenfolge beachten.", (
        ("paragraph", "Auf zwei rote Perlen folgen drei blaue. Das Verhältnis von Rot zu Blau ist 2 : 3, so lang die Kette auch wird."),
        ("definition", "Verhältnis", "Ein Vergleich zweier Größen, der sagt, wie viel der einen auf wie viel der anderen kommt."),
        ("worked-example", "In einem Korb liegen 6 Äpfel und 4 Birnen. Nenne das Verhältnis der Birnen zu den Äpfeln.",
         "Die Reihenfolge der Wörter ist die Reihenfolge der Zahlen.", "4 : 6"))),
    ("L05", "Gleichwertige Verhältnisse", "Verhältnisse", "Verhältnisse erweitern, kürzen und vergleichen.", (
        ("paragraph", "Verhältnisse bleiben gleich, wenn beide Seiten mit derselben Zahl multipliziert werden."),
        ("definition", "gleichwertige Verhältnisse", "Verhältnisse, die dieselbe Mischung beschreiben."),
        ("step-sequence", "Beide Seiten des Verhältnisses aufschreiben.", "Eine gemeinsame Zahl suchen.", "Beide Seiten durch sie teilen."),
        ("worked-example", "Schreibe das Verhältnis 10 : 15 so einfach wie möglich.", "Beide Seiten sind durch 5 teilbar.", "2 : 3"),
        ("worked-example", "Welches Verhältnis ist gleichwertig zu 3 : 4?", "Mit 5 multipliziert wird daraus 15 : 20.", "15 : 20"),
        ("callout-box", "Wer auf beiden Seiten dieselbe Zahl addiert, ändert die Mischung."))),
    ("L06", "In einem Verhältnis teilen", "Verhältnisse", "Einen Betrag in einem gegebenen Verhältnis aufteilen.", (
        ("paragraph", "Zuerst werden alle Teile gezählt, dann wird der Wert eines Teils bestimmt."),
        ("worked-example", "Mia und Leo teilen 40 Euro im Verhältnis 2 : 3.", "Fünf Teile sind 40 Euro, ein Teil sind 8 Euro.", "16 und 24 Euro"))),
    ("L07", "Maßstab", "Verhältnisse", "Längen auf einer Karte in wirkliche Längen umrechnen.", (
        ("paragraph", "Ein Maßstab 1 : 25 000 heißt: ein Zentimeter auf der Karte sind 250 Meter in der Natur."),)),
    ("L08", "Geschwindigkeit", "Raten", "Aus Weg und Zeit die Geschwindigkeit berechnen.", (
        ("paragraph", "Die Geschwindigkeit sagt, welcher Weg in einer Stunde oder in einer Sekunde zurückgelegt wird."),
        ("definition", "Geschwindigkeit", "Der Weg, der in einer Einheit der Zeit zurückgelegt wird."),
        ("worked-example", "Ein Zug fährt 180 Kilometer in zwei Stunden. Wie schnell ist er?", "180 durch 2 ist 90.", "90 km/h"))),
    ("L09", "Dichte", "Raten", "Aus Masse und Volumen die Dichte berechnen.", (
        ("paragraph", "Die Dichte sagt, welche Masse ein Kubikzentimeter eines Stoffes hat."),)),
    ("L10", "Was Prozent heißt", "Prozente", "Prozente als Hundertstel lesen und schreiben.", (
        ("paragraph", "Ein Prozent ist ein Hundertstel. Fünfundzwanzig Prozent sind ein Viertel, fünfzig Prozent sind die Hälfte."),
        ("definition", "Prozent", "Ein Hundertstel eines Ganzen."),
        ("callout-box", "Ein Prozentsatz sagt erst etwas, wenn das Ganze bekannt ist."))),
    ("L11", "Prozentwert berechnen", "Prozente", "Einen Anteil von einem Betrag ausrechnen.", (
        ("paragraph", "Der Prozentwert ist der Anteil selbst. Man teilt das Ganze durch hundert und multipliziert mit dem Prozentsatz."),
        ("worked-example", "Wie viel sind 15 Prozent von 80 Euro?", "Ein Prozent sind 0,80 Euro.", "12 Euro"))),
    ("L12", "Zinsen", "Prozente", "Zinsen für ein Jahr ausrechnen.", (
        ("paragraph", "Zinsen sind der Preis für geliehenes Geld, als Prozentsatz für ein Jahr."),)),
)
NEEDED = (("L01", "L02"), ("L02", "L04"), ("L04", "L05"), ("L05", "L06"), ("L04", "L07"), ("L03", "L07"), ("L03", "L08"), ("L05", "L08"),
          ("L08", "L09"), ("L02", "L10"), ("L10", "L11"), ("L11", "L12"))
PARAMETERS = {"paragraph": ("text",), "callout-box": ("text",), "definition": ("term", "definition"),
              "worked-example": ("problem", "solution", "answer")}


def component(kind, *texts):
    return {"type": kind, "parameters": dict(zip(PARAMETERS[kind], texts)) if kind in PARAMETERS else {"steps": list(texts)}}


def curriculum():
    """As a file in Lectern's own format has it."""
    nodes = []
    for node_id, title, chapter, content, components in LESSONS:
        components = [component(*given) for given in components]
        nodes.append({"node_id": node_id, "title": title, "chapter": chapter, "raw_content": content, "components": components})
    return {"meta": {"title": TITLE, "language": "de"}, "nodes": nodes, "relationships": [
        {"from_node_id": start, "to_node_id": end, "relationship_type": "PREREQUISITE", "explanation": "wird dafür gebraucht"}
        for start, end in NEEDED]}
