# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions that measure how find ranks, by bench_ranking.py. They were written from the content of the curricula, with their right
lessons, before any of them was asked; find was never tuned with them, and must not be: then they would measure nothing. After the first
answers, the lists of five questions got lessons that are equally right by their content. They have shown one fault, which is mended: one text
of a rare language kept the small words of all others (contract.find).

By curriculum and kind: title, a title or a term in a short way of asking; words, some words of the content that are not the title;
sentence, a whole question in other words. Each is (words, the lessons that are right): ids, or in the algebra books titles."""

FRACTIONS = {
    "title": (
        ("definition of mixed number", "N003"),
        ("what is a proper fraction", "N003"),
        ("simplified fraction", "N009"),
        ("what is an LCD", "N021"),
        ("integers lesson", "S005 S006 S007"),
        ("divide fractions lesson", "N012"),
        ("multiply mixed numbers", "N013"),
        ("definition of prime factorization", "S003"),
        ("fraction operations", "N024"),
        ("property of one", "N002"),
        ("fraction addition lesson", "N017 N018"),
        ("what is fraction subtraction", "N019 N020"),
        ("visualize fractions", "E001"),
        ("what are variable expressions", "S006 N026"),
    ),
    "words": (
        ("pizza for your brother", "N029"),
        ("factor tree", "S003"),
        ("please excuse my dear Aunt Sally", "S001"),
        ("blue and red counters", "S005"),
        ("upside-down versions", "N011"),
        ("chocolate chip cookies", "E002 E003 E005"),
        ("hair ribbons", "E002"),
        ("nuts and raisins", "E004"),
        ("throw pillows", "E005"),
        ("matching shirts for husband and son", "E006"),
        ("child's playhouse table", "E007"),
        ("quarter notes in a measure", "E001"),
        ("carpenter and painter", "N001"),
    ),
    "sentence": (
        ("why do some students get 49 and others 25", "S001"),
        ("which of two negative mixed numbers is greater", "N008"),
        ("how can I show eight fifths with a picture", "N003"),
        ("how much pizza is left when two of seven slices are eaten", "N019"),
        ("are the bottoms also multiplied when two fractions are multiplied", "N010 N024"),
        ("where do I put the minus of a fraction", "N016"),
        ("do I need the same denominator before I divide", "N024"),
        ("how do I put a fraction in the place of x", "N026 N032"),
        ("how many sixths fit into one half", "N012 N005 N006"),
        ("what do I do when the top fraction is smaller in a subtraction", "N030 N031"),
        ("how do I get a variable alone that is divided by a number", "N034"),
        ("how do I write the quotient of two quantities in algebra", "N014"),
        ("how do I rewrite one fourth and one sixth in twelfths", "N022"),
    ),
}

PYTHON = {
    "title": (
        ("what is a class", "C014 E018"),
        ("definition of list", "C038 E010 E011"),
        ("what is a set", "C051 E017"),
        ("strings", "C055 E008"),
        ("numbers lesson", "C043"),
        ("definition of function", "C028"),
        ("what is a loop", "C039 E012"),
        ("tuple", "C058 E013"),
        ("what is recursion", "C047"),
        ("matrix", "P070"),
        ("series lesson", "P046"),
        ("change", "P088"),
        ("house", "P023"),
        ("clock lesson", "P079"),
    ),
    "words": (
        ("duck typing", "C003 E001"),
        ("Caesar", "P015 P075"),
        ("noughts and crosses", "P062"),
        ("horseshoe nail", "P053"),
        ("Raspberry Pi", "P017 P018 P019 P020"),
        ("lumberjacks", "P013"),
        ("codons and amino acids", "P042"),
        ("Sherpa guide", "P111"),
        ("Frogger", "P071"),
        ("ancient Babylon", "P033"),
        ("vintage typewriter", "P022"),
        ("royal intermarriage", "P112"),
        ("short-circuit evaluation", "C008 C016 E006"),
    ),
    "sentence": (
        ("how do I sort a list without changing the original", "C037 E011"),
        ("can I pass a function to another function", "C028 C021 C003"),
        ("how do I remove spaces at both ends of a text", "C053 E007"),
        ("how many steps until a number arrives at one", "P006"),
        ("how do I check that the number of a book is valid", "P014"),
        ("how do I turn numbers into English words", "P044"),
        ("on which date is the third Wednesday of a month", "P098"),
        ("how do two people agree on a shared secret key", "P138"),
        ("how do I measure exact liters with two containers", "P122"),
        ("which tree has the best view of the sunset", "P063"),
        ("what discount do I get for buying different books", "P125"),
        ("who owes how much money to the roommates", "P128"),
        ("how do I round a float to a few decimal places", "C043 E003 C052"),
    ),
}

ALGEBRA = {
    "title": (
        ("definition of function", "Determine if a Relation is a Function"),
        ("what is a product", "Use Multiplication Notation"),
        ("what is a monomial", "Identify Polynomials, Monomials, Binomials, and Trinomials"
         "|Identify Polynomials, Monomials, Binomials and Trinomials|Determine the Degree of Polynomials"),
        ("ratio", "Write a Ratio as a Fraction|Everyday Math: Ratios and Rate"),
        ("definition of rate", "Write a Rate as a Fraction"),
        ("percent lesson", "Use the Definition of Percent|Introduction to Percents|Everyday Math: Understand Percent"),
        ("what is a proportion", "Use the Definition of Proportion|Solve Proportions"),
        ("ellipse", "Graph an Ellipse with Center at the Origin|Find the Equation of an Ellipse with Center at the Origin"
         "|Graph an Ellipse with Center Not at the Origin"),
        ("definition of sequence", "Write the First Few Terms of a Sequence"),
        ("what is a coefficient", "Identify Terms, Coefficients, and Like Terms|Identify and Combine Like Terms"),
        ("relation", "Find the Domain and Range of a Relation|Determine if a Relation is a Function"),
        ("what is absolute value", "Simplify Expressions with Absolute Value|Simplify: Expressions with Absolute Value"
         "|Solve Absolute Value Equations"),
        ("definition of matrix", "Write the Augmented Matrix for a System of Equations"),
        ("what is an expression", "Use Variables and Algebraic Symbols|Identify Expressions and Equations"
         "|Find Factors, Prime Factorizations, and Least Common Multiples"),
    ),
    "words": (
        ("skid marks", "Use Square Roots in Applications|Use Radicals in Applications"),
        ("annuity", "Apply Geometric Sequences and Series in the Real World"),
        ("break-even point", "Solve applications of cost and revenue functions"),
        ("favorable outcomes", "Use the Basic Definition of Probability"),
        ("tailwind and headwind", "Solve Uniform Motion Applications|Solve uniform motion applications"),
        ("teetering mobile", "Introduction to Solving Linear Equations"),
        ("row-echelon form", "Solve Systems of Equations Using Matrices"),
        ("horizontal line test", "Determine Whether a Function is One-to-One"),
        ("radioactive decay", "Use Exponential Models in Applications"),
        ("interval notation", "Graph Inequalities on the Number Line"),
        ("orbits of the planets", "Graph an Ellipse with Center Not at the Origin"),
        ("employees shaking hands", "Everyday Math: Divide Polynomials"),
        ("negative thoughts", "Approach Word Problems with a Positive Attitude|Use a Problem Solving Strategy for Word Problems"),
    ),
    "sentence": (
        ("how do I compute a logarithm of another base with a calculator", "Use the Change-of-Base Formula"),
        ("how far apart are two points in the plane", "Use the Distance Formula"),
        ("where is the middle of a line segment", "Use the Midpoint Formula"),
        ("how can I see whether an equation gives a circle or a hyperbola", "Identify Conic Sections by their Equations"),
        ("when does the inequality sign turn around", "Solve Inequalities using the Division and Multiplication Properties of Inequality"
         "|Solve Linear Inequalities"),
        ("why can a number not be divided by zero", "Use the Properties of Zero|Divide Whole Numbers"
         "|Use the Properties of Identity, Inverse, and Zero"),
        ("how do I swap x and y to undo a function", "Find the Inverse of a Function"),
        ("what is a number to the power of zero", "Simplify Expressions with Zero Exponents|Simplify Expressions with an Exponent of Zero"
         "|Simplify Expressions Using the Properties for Exponents"),
        ("how much does a box hold", "Find Volume and Surface Area of Rectangular Solids"),
        ("how much money should be invested at each of two rates", "Solve Interest Applications"),
        ("for which x is a fraction of polynomials undefined",
         "Determine the Values for Which a Rational Expression is Undefined"),
        ("what is each digit of a large number worth", "Identify the Place Value of a Digit|Use Place Value with Whole Numbers"
         "|Model Whole Numbers"),
        ("is every term of the list multiplied by the same number", "Determine if a Sequence is Geometric"),
    ),
}
