/** The frame: the navigation, and the page that the address names, or the login. */
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { sentenceOf } from './model/api.ts';
import { place } from './model/place.ts';
import { session, whoseMe } from './model/session-state.ts';
import { useDocumentTitle, useTitle } from './model/title.ts';
import { Navigation } from './navigation.tsx';
import { LoginPage } from './pages/login/login-page.tsx';
import { type Page, pageAt } from './pages.ts';
import { Person } from './person.tsx';
import { Notices } from './ui/notices.tsx';
import { Problem } from './ui/problem.tsx';
import { S } from './words/strings.ts';

export function App() {
  const now = session.value;
  const isOpen = now.is === 'open';
  const me = whoseMe();
  useDocumentTitle(now.is === 'none' ? S.login.title : null);
  return (
    <>
      {now.is === 'none' && <LoginPage ended={now.ended} problem={now.problem} />}
      {isOpen && (
        <a class="skip" href="#main" onClick={skipToMain}>
          {S.nav.skip}
        </a>
      )}
      {isOpen && <Navigation />}
      {me !== null && <Main key={me.actor} isHidden={!isOpen} />}
      {isOpen && <Notices />}
    </>
  );
}

/** Hidden, it keeps what was typed until the same person has logged in again. */
function Main({ isHidden }: { readonly isHidden: boolean }) {
  const page = pageAt(place.value);
  return (
    <main id="main" tabIndex={-1} hidden={isHidden} inert={isHidden}>
      {page === undefined ? (
        <Problem text={S.nav.noPage(place.value.page)} />
      ) : (
        <LoadedPage key={page.name} page={page} />
      )}
      <Person />
    </main>
  );
}

/** The hash of the address names the page, so a link within it moves the focus by hand. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** The code of a page is loaded when it is first shown. */
function LoadedPage({ page }: { readonly page: Page }) {
  const [Shown, setShown] = useState<{ readonly it: ComponentType } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [fault, goOn] = useErrorBoundary() as [unknown, () => void];
  useEffect(() => {
    page.load().then(
      ({ default: it }) => setShown({ it }),
      (error: unknown) => setProblem(S.nav.notLoaded(sentenceOf(error))),
    );
  }, [page]);
  useTitle(page.title);
  if (problem !== null) return <Problem text={problem} retry={() => location.reload()} />;
  if (fault !== undefined) return <Problem text={S.nav.broken(sentenceOf(fault))} retry={goOn} />;
  return Shown === null ? null : <Shown.it />;
}
