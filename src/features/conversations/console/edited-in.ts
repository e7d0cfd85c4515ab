/** A text that a person changes in an editor. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../core/config/source/environment.ts';

/** Runs the editor in this terminal, and returns the text as it was saved. `editor` may have options. Rejects if the editor fails. */
export async function editedIn(editor: string, text: string, env: Environment): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-chat-'));
  const file = join(directory, 'message.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code !== 0) throw new Error(`the editor ended with ${code ?? signal}`);
    return readFileSync(file, 'utf8').trimEnd();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
