import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editedIn } from '../../../../src/features/conversations/console/edited-in.ts';
import { temporaryHome } from '../../../support/database.ts';

const home = temporaryHome();
const env = { PATH: process.env['PATH'] ?? '', SEEN: join(home, 'seen') };

test('an editor, with its options, gets the text in a Markdown file that is private, and its text counts', async () => {
  const editor = `sh -c 'basename "$1" > "$SEEN"; stat -c %a "$1" >> "$SEEN"; dirname "$1" >> "$SEEN"; echo "two  " >> "$1"' --`;
  expect(await editedIn(editor, 'one\n', env)).toBe('one\ntwo');
  const [name, mode, directory] = readFileSync(env.SEEN, 'utf8').split('\n');
  expect([name, mode]).toEqual(['message.md', '600']);
  expect(() => readdirSync(directory!)).toThrow('ENOENT');
});

test('an editor that fails changes nothing', async () => {
  await expect(editedIn('false', 'one', env)).rejects.toThrow('the editor ended with 1');
  await expect(editedIn('kill -9 $$ #', 'one', env)).rejects.toThrow('the editor ended with SIGKILL');
});
