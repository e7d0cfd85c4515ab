/** Opens a login address in the browser of the person who runs the command. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../core/config/source/environment.ts';
import { findProgram } from '../../process/find-program.ts';

export interface OpenedBrowser {
  /** Removes the page; the browser has to have read it. */
  close(): void;
}

/**
 * Opens a page of one file that leads to the address, not the address itself: every user of the machine can read the arguments of a program, and the address contains
 * the secret of the login. Only this user can read the file. Null where no browser can be opened.
 */
export function openBrowser(
  address: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
  platform: NodeJS.Platform = process.platform,
): OpenedBrowser | null {
  const opener = openerOf(env, cwd, platform);
  if (opener === null) return null;
  // Others cannot list it.
  const directory = mkdtempSync(join(tmpdir(), 'animus-login-'));
  const page = join(directory, 'login.html');
  writeFileSync(page, pageTo(address), { mode: 0o600, flag: 'wx' });
  const [program, ...args] = opener;
  // It goes on without this command, which does not wait for the browser.
  const child = spawn(program, [...args, page], { detached: true, stdio: 'ignore', env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
  return { close: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The program and its first arguments. */
function openerOf(env: Environment, cwd: string, platform: NodeJS.Platform): readonly [string, ...string[]] | null {
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  const find = (name: string) => findProgram(name, env['PATH'] ?? '', cwd);
  const program =
    platform === 'darwin' ? find('open') : env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? find('xdg-open') : null;
  return program === null ? null : [program];
}

function pageTo(address: string): string {
  const written = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${written}">
<title>animus</title>
<a href="${written}">Open the console</a>
`;
}
