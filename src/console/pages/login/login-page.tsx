/** The way in: a token. A one-time link needs no page: `session.ts` uses it before anything is shown. */
import { useState } from 'preact/hooks';
import { logIn } from '../../model/session.ts';
import type { Ended } from '../../model/session-state.ts';
import { Problem } from '../../ui/problem.tsx';
import { S } from '../../words/strings.ts';

export function LoginPage({ ended, problem }: { readonly ended: Ended; readonly problem: string | null }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await logIn({ token: token.trim() });
    setBusy(false);
  };
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1>animus</h1>
        {ended !== 'never' && <p>{S.login[ended]}</p>}
        {problem !== null && <Problem text={problem} />}
        <label>
          {S.login.token}
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
            required
          />
        </label>
        <button type="submit" class="primary" disabled={busy}>
          {S.login.submit}
        </button>
        <p class="faint">{S.login.hint}</p>
      </form>
    </main>
  );
}
