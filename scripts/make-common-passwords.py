#!/usr/bin/env python3
"""Writes Sources/Server/IdentityEngine/Passwords/CommonPasswords.swift, the built-in list of SEC-PWD-3.

    pip download --no-deps --no-binary :all: zxcvbn==4.5.0 && tar xzf zxcvbn-4.5.0.tar.gz
    scripts/make-common-passwords.py zxcvbn-4.5.0

The same input gives the same file. Two lists come out:

terms      what people build passwords from: the most frequent leaked passwords, seasons, months, years, product words.
           They are found inside passwords.
passwords  whole passwords that satisfy the policy's rules of length and classes, made as people make them: a frequent
           word with a capital letter, and one of the usual endings; and keyboard walks.
"""
import pathlib
import re
import sys
import textwrap

TERMS_FROM_LIST = 2000
WORDS_WITH_ENDINGS = 300

OWN_TERMS = """
    spring summer autumn winter january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday welcome admin administrator changeme default guest login
    secret microsoft azure entra office windows company customer support temporary qwertz azertyuiop
""".split() + [str(year) for year in range(1960, 2030)]

ENDINGS = ["1", "1!", "12", "123", "123!", "1234", "@123", "#1", "2023", "2024", "2025", "2026", "2025!", "2026!"]

OWN_PASSWORDS = """
    P@ssw0rd P@ssword1 P@$$w0rd Pa$$w0rd Passw0rd! Passw0rd1 Pa55w0rd Pa55word! Password! Qwerty123! Qwerty1!
    Qwertyuiop1 Abcd1234 Abcd1234! Abc123456 Abc12345! Aa123456 Aa123456! Aa12345678 A1b2c3d4 A1b2c3d4! Zaq12wsx
    Zaq1@wsx !QAZ2wsx 1qaz@WSX 1qaz2WSX 1qazXSW@ !Qaz2wsx 1Qaz2wsx Qaz123wsx Q1w2e3r4 Q1w2e3r4! Q1w2e3r4t5 1Q2w3e4r
    1q2w3e4R! Asdf1234 Asdf1234! Zxcv1234 Zxcvbnm1 Asdfghjkl1 Test1234 Test1234! Temp1234 Temp1234! Changeme1!
    Changeme123 Welcome@1 Welcome1 Admin123! Admin@123 Admin1234 Root1234 Letmein1! Iloveyou1! Iloveyou2! User1234
    Secret123! Master123! Google123 Micr0soft Micr0s0ft! Windows10 Windows11 Office365 Summer01 Winter01 Spring01
    Autumn01 Monday01 Friday01
""".split()


def normal(text):
    return text.lower().translate(str.maketrans("01$@", "olsa"))


def satisfies_policy(text):
    classes = ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9 ]")
    return 8 <= len(text) <= 256 and sum(bool(re.search(c, text)) for c in classes) >= 3


def distinct(candidates):
    seen = set()
    for candidate in candidates:
        if normal(candidate) not in seen:
            seen.add(normal(candidate))
            yield candidate


def blob(entries):
    return textwrap.indent(
        textwrap.fill(" ".join(entries), width=112, break_long_words=False, break_on_hyphens=False), "        ")


def main():
    source = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(source))
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    usable = re.compile(r"[!-~]{4,}")
    frequent = [p for p in FREQUENCY_LISTS["passwords"] if usable.fullmatch(p) and not set(p) & set('\\"')]
    terms = list(distinct(frequent[:TERMS_FROM_LIST] + OWN_TERMS))
    words = [t for t in terms if re.fullmatch("[a-z]{4,10}", t)][:WORDS_WITH_ENDINGS]
    passwords = [
        p for p in distinct(OWN_PASSWORDS + [w.capitalize() + e for w in words for e in ENDINGS]) if satisfies_policy(p)
    ]
    licence = (source / "LICENSE.txt").read_text().strip()
    comment = "\n".join(("// " + line).rstrip() for line in licence.splitlines())
    target = pathlib.Path(__file__).parent.parent / "Sources/Server/IdentityEngine/Passwords/CommonPasswords.swift"
    target.write_text(f'''\
// Written by scripts/make-common-passwords.py; do not edit.
//
// Derived from the list of leaked passwords in zxcvbn 4.5.0 (https://pypi.org/project/zxcvbn/4.5.0/), under this licence:
//
{comment}

/// The built-in list of passwords, and of terms in passwords, that are not allowed (`SEC-PWD-3`). Entries are separated
/// by a blank or a line feed. It contains crude words because users choose them.
///
/// Each list is one long text, because the compiler needs far more time for an array of literals.
enum CommonPasswords {{
    /// {len(terms)} words, the most frequent first.
    static let terms = """
{blob(terms)}
        """

    /// {len(passwords)} passwords that satisfy the rules of length and classes.
    static let passwords = """
{blob(passwords)}
        """
}}
''')
    print(f"{len(terms)} terms, {len(passwords)} passwords")


if __name__ == "__main__":
    main()
