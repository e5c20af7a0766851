// The console works without this script. It adds live lists, local times and copy buttons.
document.documentElement.classList.add('js');

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => root.querySelectorAll(selector);
const topOf = node => node.getBoundingClientRect().top;
// Removes a node, and returns the next one.
const drop = node => { const next = node.nextSibling; node.remove(); return next; };

// Prepares the page, and each list that comes later.
function prepare(root) {
  for (const time of all('time[datetime*=T]', root)) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    time.title = time.textContent;
    time.textContent = new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19).replace('T', ' ');
  }
  if (navigator.clipboard) for (const button of all('.copy', root)) button.hidden = false;
  // Some browsers do not see that cards are a table.
  const roles = { TABLE: 'table', THEAD: 'rowgroup', TBODY: 'rowgroup', TR: 'row', TD: 'cell' };
  for (const part of all('table.cards, .cards *', root)) if (roles[part.tagName]) part.role = roles[part.tagName];
  for (const part of all('.cards th', root)) part.role = part.scope === 'row' ? 'rowheader' : 'columnheader';
}

// Makes `old` equal to `fresh`. What did not change stays the same node, with its focus and its selection.
function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== 1) return old.replaceWith(fresh);
  for (const name of old.getAttributeNames()) if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
  const nodes = [...fresh.childNodes];
  const ids = new Set(nodes.map(node => node.id));
  let place = old.firstChild;
  for (const node of nodes) {
    while (place && !ids.has(place.id)) place = drop(place);
    if (place?.nodeName === node.nodeName && place.id === node.id) {
      const next = place.nextSibling;
      renew(place, node);
      place = next;
    } else old.insertBefore(node, place);
  }
  while (place) place = drop(place);
}

function say(text, kind = '') {
  one('#status').className = kind;
  if (one('#status').textContent !== text) one('#status').textContent = text;
}

let running;
// Fetches the address and shows its list. Returns whether it did. A request that the operator did not make does not keep the session alive.
async function load(address, headers = {}) {
  running?.abort();
  const { signal } = running = new AbortController();
  const list = one('#results');
  try {
    const answer = await fetch(address, { signal, headers, redirect: 'manual' });
    const fresh = one('#results', new DOMParser().parseFromString(await answer.text(), 'text/html'));
    // The server has trouble: the list stays.
    if (answer.status > 428) throw answer;
    // The session is lost, or this is another page: the browser opens it.
    if (!fresh) return location.assign(address);
    prepare(fresh);
    // The first row in the window stays where it is.
    const row = topOf(list) < 0 && [...all('tbody tr', list)].find(row => topOf(row) >= 0);
    const before = row && topOf(row);
    renew(list, document.adoptNode(fresh));
    if (row?.isConnected) scrollBy(0, topOf(row) - before);
    say('');
    return true;
  } catch {
    if (signal.aborted) return;
    list.removeAttribute('aria-busy');
    say('The server does not answer. This list may be old.', 'note bad');
  }
}

function watchFilters(form) {
  let timer;
  async function search() {
    const query = new URLSearchParams([...new FormData(form)].filter(pair => pair[1]));
    const address = location.pathname + '?' + query;
    one('#results').ariaBusy = true;
    if (!await load(address)) return;
    history.replaceState(null, '', address);
    say(one('#results :is(.count, .empty p)')?.textContent);
  }
  const plan = delay => { clearTimeout(timer); timer = setTimeout(search, delay); };
  form.oninput = ({ target }) => { if (target.name) plan(200); };
  form.onsubmit = event => { event.preventDefault(); plan(0); };
}

function follow(box) {
  let timer;
  const isOn = () => box.checked && !document.hidden;
  async function again() {
    clearTimeout(timer);
    if (isOn() && !one('#results[aria-busy]')) await load(location.pathname + location.search, { 'X-Console-Background': '1' });
    clearTimeout(timer);
    if (isOn()) timer = setTimeout(again, 2000);
  }
  box.closest('.follow').hidden = false;
  box.onchange = document.onvisibilitychange = again;
  again();
}

function start() {
  prepare(document);
  for (const zone of all('[data-zone]')) zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
  one('.note.bad[tabindex]')?.focus();
  const here = one('nav.main [aria-current]');
  if (here) here.closest('nav').scrollLeft = here.offsetLeft - innerWidth / 3;
  const form = one('form.filters'), box = one('#follow');
  if (form) watchFilters(form);
  if (box) follow(box);

  // Each press of an arrow key changes a closed list, so a change by key does not send the form.
  const chooser = one('form.tenant select') ?? {};
  let isByKey;
  chooser.onkeydown = chooser.onpointerdown = event => { isByKey = event.type === 'keydown'; };
  chooser.onchange = () => {
    if (isByKey) one('form.tenant button').classList.remove('without-script'); else chooser.form.submit();
  };

  document.onclick = async ({ target }) => {
    if (!target.matches('.copy')) return;
    await navigator.clipboard.writeText(one(target.dataset.copy).textContent);
    target.textContent = 'Copied';
    setTimeout(() => { target.textContent = 'Copy'; }, 2000);
  };

  // What has an effect only while nothing is chosen.
  for (const list of all('select[data-hides]')) {
    (list.onchange = () => { for (const part of all(list.dataset.hides)) part.hidden = list.value !== ''; })();
  }

  // A form is sent once.
  let sent = new WeakSet();
  window.onpageshow = () => { sent = new WeakSet(); };
  document.onsubmit = event => {
    if (event.target.getAttribute('method') !== 'post') return;
    if (sent.has(event.target)) event.preventDefault();
    sent.add(event.target);
  };
}

if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start); else start();
