#!/usr/bin/env python3
"""A browser without script, as the program of the variable BROWSER: `page_walker.py NAME PASSWORD|cancel|provider=EMAIL ADDRESS` signs a
user in at the hosted pages, also by the sample provider, or cancels. The standard library is all that it needs. It comes back at once, as the opener of a desktop does."""

import html
import http.cookiejar
import re
import subprocess
import sys
import urllib.parse
import urllib.request


def fields_of(content):
    fields = {}
    for attributes in re.findall(r"<input ([^>]*)>", content):
        found = dict(re.findall(r'([a-z-]+)="([^"]*)"', attributes))
        if "name" in found and found.get("type") != "checkbox":
            fields[found["name"]] = html.unescape(found.get("value", ""))
    return fields


def walk(name, password, address):
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlparse(address))
    answers = {"username": name, "password": password}
    answer = opener.open(address)
    for _ in range(6):
        moved = answer.headers.get("Refresh")
        if moved:
            answer = opener.open(moved.split("url=", 1)[1])
            continue
        page = answer.read().decode()
        for action, content in re.findall(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', page, re.S):
            fields = fields_of(content)
            asked = [field for field in answers if field in fields]
            if password.startswith("provider="):
                if "email" in fields and 'value="agree"' in content:
                    fields |= {"email": password.removeprefix("provider="), "answer": "agree"}
                elif 'name=".provider" value="sample"' in content:
                    fields[".provider"] = "sample"
                else:
                    continue
            elif password == "cancel" and 'value="cancel"' in content:
                fields[".action"] = "cancel"
            elif asked and password != "cancel":
                fields |= {field: answers[field] for field in asked} | {".action": "next"}
            else:
                continue
            request = urllib.request.Request(
                urllib.parse.urljoin(origin, html.unescape(action)), urllib.parse.urlencode(fields).encode(), {"Origin": origin})
            answer = opener.open(request)
            break
        else:
            return


if __name__ == "__main__":
    if sys.argv[1] == "--walk":
        walk(*sys.argv[2:])
    else:
        subprocess.Popen([sys.executable, __file__, "--walk", *sys.argv[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
