"use strict";
// Everything but passkeys works without this file. It asks for a passkey, shows a password, writes times as the reader does, takes a code
// from pasted text, counts the seconds until another code can be sent, sends a form once, and the last one on its way.

const language = document.documentElement.lang;

for (const field of document.querySelectorAll("input[data-show]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "show";
  button.title = field.dataset.show;
  button.setAttribute("aria-label", field.dataset.show);
  button.setAttribute("aria-controls", field.id);
  button.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z"/><circle cx="12" cy="12" r="3"/><path class="slash" d="m4 4 16 16"/></svg>';
  const show = (shown) => {
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", shown);
  };
  button.addEventListener("click", () => show(field.type === "password"));
  // Browsers keep what was sent in a field of text.
  field.form.addEventListener("submit", () => show(false));
  show(false);
  field.after(button);
}

for (const time of document.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

// A recovery code has letters, too.
const code = document.querySelector("#code[inputmode=numeric]");
if (code) {
  // Wide and Arabic digits become those that a code has.
  const clean = (text) => text.normalize("NFKC").replace(/[٠-٩۰-۹]/g, (digit) => digit.charCodeAt(0) & 15).replace(/[^0-9 -]/g, "").trim();
  code.addEventListener("paste", (event) => {
    event.preventDefault();
    code.setRangeText(clean(event.clipboardData.getData("text")).slice(0, 24), code.selectionStart, code.selectionEnd, "end");
  });
  code.addEventListener("input", (event) => {
    if (!event.isComposing && /[^0-9 -]/.test(code.value)) code.value = clean(code.value);
  });
}

const again = document.querySelector("button[data-wait]");
if (again) {
  const key = again.form.action + document.querySelector(".lead").textContent;
  const remember = (time) => {
    try {
      sessionStorage.setItem(key, time);
    } catch {}
    return time;
  };
  let sent = 0;
  try {
    sent = Number(sessionStorage.getItem(key));
  } catch {}
  sent ||= remember(Date.now());
  const seconds = () => Math.ceil(again.dataset.wait - (Date.now() - sent) / 1000);
  const text = (unitDisplay) => new Intl.NumberFormat(language, { style: "unit", unit: "second", unitDisplay }).format(seconds());
  const name = again.textContent;
  const left = document.createElement("span");
  left.className = "left";
  left.setAttribute("aria-hidden", "true");
  const status = document.createElement("p");
  status.className = "unseen";
  status.setAttribute("role", "status");
  again.append(left);
  again.form.append(status);
  again.addEventListener("click", () => seconds() > 0 || remember(Date.now()));
  const tick = () => {
    const rest = seconds();
    left.textContent = rest > 0 ? text("narrow") : "";
    if (rest <= 0) return void (status.textContent = name);
    if (rest % 15 === 0 && rest < again.dataset.wait) status.textContent = `${name}: ${text("long")}`;
    setTimeout(tick, 1000);
  };
  if (seconds() > 0) tick();
}

// What is for browsers with passkeys, or for others, changes places. The bytes are read and written by hand: not all browsers and extensions
// have parseRequestOptionsFromJSON and a toJSON that works.
if (window.PublicKeyCredential) {
  for (const part of document.querySelectorAll("[data-passkeys]")) part.hidden = !part.hidden;
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt());
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const read = (options) => {
    const publicKey = JSON.parse(options);
    publicKey.challenge = bytes(publicKey.challenge);
    if (publicKey.user) publicKey.user.id = bytes(publicKey.user.id);
    for (const known of [...(publicKey.allowCredentials ?? []), ...(publicKey.excludeCredentials ?? [])]) known.id = bytes(known.id);
    return publicKey;
  };
  const send = (made, field) => {
    const response = { transports: made.response.getTransports?.() };
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (made.response[name]?.byteLength) response[name] = text(made.response[name]);
    }
    const id = text(made.rawId);
    field.value = JSON.stringify({ id, rawId: id, type: made.type, clientExtensionResults: made.getClientExtensionResults?.() ?? {}, response });
    field.form.submit();
  };
  const field = document.querySelector("input[data-ceremony]");
  if (field) {
    const publicKey = read(field.dataset.options);
    const button = field.form.querySelector("button[data-passkeys]");
    let alert, present;
    const ask = async () => {
      // A question that the user does not see any more gives way to a new one.
      present?.abort();
      const asked = (present = new AbortController());
      alert?.remove();
      try {
        send(await navigator.credentials[field.dataset.ceremony]({ publicKey, signal: asked.signal }), field);
      } catch (error) {
        if (asked !== present) return;
        alert = document.createElement("p");
        alert.className = "problem";
        alert.setAttribute("role", "alert");
        alert.textContent = error.name === "InvalidStateError" ? field.dataset.known : field.dataset.failed;
        button.before(alert);
      }
    };
    button.addEventListener("click", ask);
    // After a refusal the user reads first.
    if (!document.querySelector(".problem")) ask();
  }
  // The browser lists passkeys at the field of the name. A question is good for five minutes; without an answer nothing is said.
  const suggested = document.querySelector("input[data-suggest]");
  if (suggested) {
    let present, rounds = 0;
    const suggest = async () => {
      present?.abort();
      const { signal } = (present = new AbortController());
      try {
        if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
        if (++rounds < 4) setTimeout(() => signal.aborted || document.hidden || suggest(), 270_000);
        const body = new URLSearchParams(new FormData(suggested.form));
        body.set(".action", "suggest");
        const answer = await fetch(suggested.form.action, { method: "POST", body, signal });
        if (answer.status !== 200) return;
        send(await navigator.credentials.get({ publicKey: read(await answer.text()), mediation: "conditional", signal }), suggested);
      } catch {}
    };
    addEventListener("submit", () => present?.abort());
    suggest();
  }
}

// A double click sends a form once.
let sentAt = -1000;
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (event.timeStamp - sentAt < 1000) event.preventDefault();
  else sentAt = event.timeStamp;
});

document.querySelector("form[data-submit]")?.submit();
