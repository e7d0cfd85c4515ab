/** The hook that adds trailers to the commits that an agent makes in its private repository. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { placeFile } from '../../core/files/regular-file.ts';

/** The trailers of commits for a work item: who submitted it, and which it is. Each is one line. */
export function commitTrailers(workItemId: string, submittedBy: string | null): readonly string[] {
  const by = (submittedBy ?? '').replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return [...(by === '' ? [] : [`Submitted-by: ${by}`]), `Animus-Work: ${workItemId}`];
}

/** Writes it into the directory of hooks. */
export async function commitHook(hooks: string, trailers: readonly string[]): Promise<void> {
  const options = trailers.map((trailer) => ` --trailer ${quoted(trailer)}`).join('');
  const script = `#!/bin/sh\nexec git interpret-trailers --in-place --if-exists doNothing${options} "$1"\n`;
  await placeFile(hooks, 'prepare-commit-msg', script);
  await chmod(join(hooks, 'prepare-commit-msg'), 0o755);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
