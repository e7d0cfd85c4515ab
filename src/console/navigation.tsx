/** The navigation: a column beside the page, or a bar below it on a phone; `g` and a letter go to a page. */
import { useEffect } from 'preact/hooks';
import { needs, useNeeds } from './model/needs.ts';
import { goTo, hrefTo, place } from './model/place.ts';
import { PAGES } from './pages.ts';
import { Person } from './person.tsx';
import { createChord } from './ui/chord.ts';
import { isTyping } from './ui/keys.ts';
import { S } from './words/strings.ts';

export function Navigation() {
  useEffect(listenForKeys, []);
  useNeeds();
  return (
    <nav class="nav" aria-label={S.nav.label}>
      <a class="nav-home" href={hrefTo('now')}>
        animus
      </a>
      <ul>
        {PAGES.filter(({ menu }) => menu !== null).map(({ name, title }) => (
          <li key={name}>
            <a href={hrefTo(name)} aria-current={place.value.page === name ? 'page' : undefined}>
              {title} {name === 'inbox' && <Needs />}
            </a>
          </li>
        ))}
      </ul>
      <Person />
    </nav>
  );
}

/** How many requests wait for a person. */
function Needs() {
  const waiting = needs.value ?? 0;
  if (waiting === 0) return null;
  return (
    <span class="badge" aria-label={S.nav.needs(waiting)}>
      {waiting.toLocaleString('en')}
    </span>
  );
}

/** Before all others: the second key of a chord means nothing else, such as `a`, which approves in the inbox. */
function listenForKeys(): () => void {
  const chord = createChord();
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const key = chord(event.key, event.timeStamp);
    if (key === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const page = PAGES.find(({ menu }) => menu?.key === key);
    if (page) goTo(page.name);
  };
  addEventListener('keydown', pressed, true);
  return () => removeEventListener('keydown', pressed, true);
}
