/** The pages: what the navigation shows, and what loads each. */
import type { ComponentType } from 'preact';
import type { Place } from './model/place.ts';
import { S } from './words/strings.ts';

export interface Page {
  /** The first part of its address; with `/*`, the address has more parts, such as an id. */
  readonly name: string;
  readonly title: string;
  /** In the navigation; the key goes there after `g`. Null: it is reached from other pages. */
  readonly menu: { readonly key: string } | null;
  load(): Promise<{ readonly default: ComponentType }>;
}

/** In the order of the navigation. */
export const PAGES: readonly Page[] = [
  { name: 'now', title: S.nav.now, menu: { key: 'n' }, load: () => import('./pages/now/now-page.tsx') },
  { name: 'inbox', title: S.nav.inbox, menu: { key: 'i' }, load: () => import('./pages/inbox/inbox-page.tsx') },
  { name: 'chat', title: S.nav.chat, menu: { key: 'c' }, load: () => import('./pages/chat/chat-page.tsx') },
  { name: 'work', title: S.nav.work, menu: { key: 'w' }, load: () => import('./pages/work/work-page.tsx') },
  { name: 'agents', title: S.nav.agents, menu: { key: 'a' }, load: () => import('./pages/agents/agents-page.tsx') },
  { name: 'agents/*', title: S.agents.title, menu: null, load: () => import('./pages/agents/faculty-page.tsx') },
  { name: 'money', title: S.nav.money, menu: { key: 'm' }, load: () => import('./pages/money/money-page.tsx') },
  { name: 'operate', title: S.nav.operate, menu: { key: 'o' }, load: () => import('./pages/operate/operate-page.tsx') },
  { name: 'submit', title: S.submit.title, menu: null, load: () => import('./pages/submit/submit-page.tsx') },
  { name: 'work/*', title: S.work.title, menu: null, load: () => import('./pages/item/item-page.tsx') },
];

export function pageAt({ page, rest }: Place): Page | undefined {
  const one = rest.length > 0 ? PAGES.find(({ name }) => name === `${page}/*`) : undefined;
  return one ?? PAGES.find(({ name }) => name === page);
}
