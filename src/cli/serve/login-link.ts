/** Makes a one-time login link to the console and shows it. */
import { userInfo } from 'node:os';
import { usageError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { hashAccessToken, newAccessToken } from '../../core/secrets/access-token.ts';
import { createLoginLink } from '../../features/people/store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import { type OpenedBrowser, openBrowser } from './open-browser.ts';

export interface LoginOptions {
  /** Default: the user of the operating system. */
  readonly person?: string | undefined;
  /** Whether a browser may be opened. */
  readonly open: boolean;
}

/** As long as a link is accepted, in seconds. */
const LINK_SECONDS = 60;

/**
 * Makes a link for the console at `address`, prints it, and opens it where a browser can be opened. The browser has read its page when `read` aborts, or after a
 * minute. A person who is not listed becomes an operator: who may make links can make operators, too. Errors: `db.forbidden` for a login that is not an operator's;
 * `work.state` for a disabled person.
 */
export async function showLogin(
  { context, output }: Pick<Invocation, 'context' | 'output'>,
  db: Database,
  address: string,
  { person = userName(), open }: LoginOptions,
): Promise<OpenedBrowser | null> {
  const secret = newAccessToken('link').reveal();
  const link = { person, hash: hashAccessToken(secret, 'link')!, role: 'operator' } as const;
  const { expiresAt, personRole, personAdded } = await createLoginLink(db, link);
  const url = `${address}#/login/${secret}`;
  const opened = open && output.live ? openBrowser(url, context) : null;
  output.document({ url, person, role: personRole, person_added: personAdded, expires_at: expiresAt });
  if (personAdded) output.note(`added ${person} with role ${personRole}`);
  output.copyable(`Open ${url}  (valid for ${LINK_SECONDS} s, once)`);
  if (opened !== null) output.note(`opening it in your browser, as ${person}`);
  return opened;
}

/** Removes the page of the browser once it must have been read, or when `ended` aborts. */
export async function closeInTime(opened: OpenedBrowser | null, seconds: number, ended: AbortSignal): Promise<void> {
  if (opened === null) return;
  await systemClock.sleep(seconds * 1000, ended);
  opened.close();
}

function userName(): string {
  const name = nameOfUser();
  if (name !== null && /^[^\s\p{Cc}]{1,200}$/u.test(name)) return name;
  throw usageError('the user of this process has no name that a person can have: say who logs in with --person NAME');
}

/** Null: the system does not know the user, as in some containers. */
function nameOfUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
