/** The first task of docs/appliance.md, with the shipped faculty `engineer` and a script in place of its model. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Appliance } from './appliance.ts';

/** The task writes a file; a faculty that could not is a problem, and a command cannot touch what the daemon loads. */
export async function writesTheFirstFile(appliance: Appliance): Promise<void> {
  const task = 'Write a haiku about queues into haiku.txt';
  const done = await appliance.inAnimus('animus', 'work', 'submit', 'engineer', task, '--wait');
  expect(done).toContain('completed');
  expect(done).toContain('"haiku.txt"');
  expect(done).not.toContain('nothing was written');
  expect(await appliance.inAnimus('cat', 'haiku.txt')).toBe('Work waits in a row\n');
  // It tried to.
  expect(await appliance.inAnimus('sh', '-c', 'ls; ls skills')).toBe(
    'animus.toml\nby-bash.txt\nfaculties\nhaiku.txt\nskills\n',
  );
  const file = join(appliance.directory, 'faculties/unwritable.toml');
  const place = 'workspace = "/opt/animus"';
  writeFileSync(
    file,
    `[faculty]\nname = "unwritable"\n${place}\n[faculty.engage]\nmodel = "play/script"\nsystem_prompt = "p"\ntools = ["write_file"]\n`,
  );
  const check = await appliance.inAnimus('animus', 'faculty', 'check').catch(String);
  expect(check).toMatch(
    /problem +\S+unwritable\.toml:3: faculty\.workspace: write_file cannot write to \/opt\/animus: user 1000 may not \(EACCES\), it belongs to user 0; make it writable/,
  );
  const shows = async () =>
    (await appliance.inAnimus('animus', 'status')).includes('write_file cannot write to /opt/animus');
  await eventually('the status shows it', async () => ((await shows()) ? true : null), 30);
  rmSync(file);
  await eventually('the status does not show it any more', async () => ((await shows()) ? null : true), 30);
}
