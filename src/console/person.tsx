/** Who is logged in, and the way out: in the navigation, and on a phone, whose bar has no room for it, at the end of the page. */
import { logOut } from './model/session.ts';
import { whoseMe } from './model/session-state.ts';
import { S } from './words/strings.ts';

export function Person() {
  const me = whoseMe();
  if (me === null) return null;
  return (
    <div class="nav-person">
      <span title={S.nav.role(me.role)}>{me.person}</span>
      <button type="button" class="quiet" onClick={() => void logOut()}>
        {S.nav.logOut}
      </button>
    </div>
  );
}
