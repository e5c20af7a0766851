"""Runs the page /dev/inbox in a headless Chromium with answers of its own, and prints a line for each thing that a reader sees.

Argument: the URL of the page. Each line begins with `ok` or `FAIL`.
"""

import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

CHECKS = """<script>
let answer = [], tick = null;
const wait = window.setTimeout, lines = [];
window.setTimeout = next => { tick = next; };
window.fetch = async () => ({ json: async () => JSON.parse(JSON.stringify(answer)) });
const mail = (n, subject) => ({
  to: 'dana@example.com', sentAt: new Date(1.8e12 + n * 1000).toISOString(), subject: subject || 'Code ' + n,
  code: n === 3 ? null : '1234567' + n, text: 'Text ' + n });
const check = (what, holds) => lines.push((holds ? 'ok ' : 'FAIL ') + what);
const all = name => [...document.querySelectorAll(name)];
const subjects = () => all('h3').map(e => e.textContent).join();
const fresh = () => all('article').map(e => e.classList.contains('new') ? 1 : 0).join('');
const isEmptyShown = () => getComputedStyle(document.querySelector('.empty')).display !== 'none';
window.addEventListener('load', async () => {
  await new Promise(done => wait(done, 50));
  check('an empty inbox says so', isEmptyShown());
  answer = [mail(2), mail(1)]; await tick();
  check('the newest mail is first', subjects() === 'Code 2,Code 1' && !isEmptyShown());
  const card = all('article')[1], summary = card.querySelector('summary');
  card.querySelector('details').open = true; summary.focus();
  getSelection().selectAllChildren(card.querySelector('.code'));
  answer = [mail(4), mail(3), mail(2), mail(1)]; await tick();
  check('new mails come on top and are marked', subjects() === 'Code 4,Code 3,Code 2,Code 1' && fresh() === '1100');
  check('what is open stays open', all('article')[3] === card && card.querySelector('details').open);
  check('the focus stays', document.activeElement === summary);
  check('the selection stays', getSelection().toString() === '12345671');
  check('a mail without a code shows none', !all('article')[1].querySelector('.code'));
  answer = [mail(5), mail(5), mail(4), mail(2), mail(1)]; await tick();
  check('equal mails are two, and one that is gone goes', subjects() === 'Code 5,Code 5,Code 4,Code 2,Code 1');
  check('the newest are marked', fresh() === '11000' && document.activeElement === summary);
  answer = [mail(6, '<img src=x>'), ...answer]; await tick();
  check('a subject is text', all('img').length === 0);
  answer = []; await tick();
  check('an inbox that was emptied says so', all('article').length === 0 && isEmptyShown());
  document.body.setAttribute('data-lines', lines.join('|'));
});
</script>"""

with urllib.request.urlopen(sys.argv[1], timeout=10) as response:
    page = response.read().decode()
browser = next(filter(None, map(shutil.which, BROWSERS)))
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "inbox.html")
    file.write_text(page.replace("<head>", "<head>" + CHECKS, 1), encoding="utf-8")
    dump = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
         "--virtual-time-budget=3000", "--dump-dom", file.as_uri()],
        capture_output=True, check=True, text=True).stdout
found = re.search('data-lines="([^"]*)"', dump)
print(html.unescape(found[1]).replace("|", "\n") if found else "FAIL the page did not run")
