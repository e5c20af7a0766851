// The development inbox: every mail that was sent, with its code.
extension DevelopmentPages {
    static let inboxPage = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>Development inbox</title><style>\(style)</style></head><body><main>
        <header><h1>Development inbox</h1><p class="badge" id="state">watching</p></header>
        <p>Every mail that the mail server took and every text message, newest first. New ones appear without a reload. See <a href="/dev/mails">all mails in all languages</a>, or go <a href="/">back to the server's home page</a>.</p>
        <p class="empty" id="empty">No mail yet. Start a sign-up and it will show up here.</p>
        <div id="mails" aria-live="polite"></div>
        <script>
        // Values are set as text, never as markup. A card that is there stays the same element: what is open in it stays open, and
        // focus, selection and scroll position stay where they are when a new mail comes.
        const cards = new Map();
        let isFirst = true;
        function element(name, className, text) {
          const e = document.createElement(name); if (className) e.className = className;
          if (text !== undefined) e.textContent = text; return e;
        }
        function cardOf(m) {
          const card = element('article', 'mail');
          const details = element('details'); details.append(element('summary', '', 'Text'), element('pre', '', m.text));
          card.append(element('h3', '', m.subject), element('p', 'meta', 'to ' + m.to + ', ' + new Date(m.sentAt).toLocaleString()),
            ...(m.code === null ? [] : [element('p', 'code', m.code)]), details);
          return card;
        }
        function show(mails) {
          const list = document.getElementById('mails');
          const seen = new Map();
          const keys = mails.map(m => {
            const key = JSON.stringify([m.to, m.sentAt, m.subject, m.code]), number = seen.get(key) || 0;
            seen.set(key, number + 1);
            return key + number;
          });
          const fresh = keys.filter(key => !cards.has(key));
          for (const [key, card] of cards) if (!keys.includes(key)) { card.remove(); cards.delete(key); }
          if (fresh.length) for (const card of cards.values()) card.classList.remove('new');
          document.getElementById('empty').hidden = mails.length > 0;
          let place = list.firstElementChild;
          mails.forEach((m, i) => {
            let card = cards.get(keys[i]);
            if (!card) {
              card = cardOf(m);
              if (!isFirst) card.classList.add('new');
              cards.set(keys[i], card);
            }
            if (card === place) place = place.nextElementSibling; else list.insertBefore(card, place);
          });
          isFirst = false;
        }
        async function poll() {
          const state = document.getElementById('state');
          try {
            const answer = await fetch('/dev/inbox.json');
            if (answer.status === 401) location.reload();
            show(await answer.json()); state.textContent = 'watching';
          } catch { state.textContent = 'server gone'; }
          setTimeout(poll, 1000);
        }
        poll();
        </script></main></body></html>
        """
}
