/** Promise: `work say` leaves a message and says when it is read; `work show` and `work tail` show what became of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEvents } from '../../../../src/store/events/read-events.ts';
import { completeWork } from '../../../../src/store/work/work.ts';
import { commandSite } from '../../../cli/work/command-site.ts';
import { beginFocus } from '../../../support/begun-focus.ts';
import { beginTurn } from '../../../support/begun-turn.ts';
import { testDatabase } from '../../../support/database.ts';

const db = testDatabase();
const { animus, submit, directory } = commandSite(db);

describe('work say', () => {
  test('takes the text from the command line, from standard input or from a file', async () => {
    const id = await submit('listener');
    const file = join(directory, 'review.md');
    writeFileSync(file, 'from a file\n');
    const said = await animus(['work', 'say', id, 'from the line']);
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('it is read with its next turn') as string });
    await animus(['work', 'say', id, '-'], { stdin: 'from stdin\n' });
    const { stdout } = await animus(['work', 'say', id.slice(-12), '--file', file, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      id,
      work_item_id: id,
      message_id: expect.any(Number) as number,
      state: 'queued',
    });
    const shown = JSON.parse((await animus(['work', 'show', id, '--json'])).stdout) as { messages: { text: string }[] };
    expect(shown.messages.map(({ text }) => text)).toEqual(['from the line', 'from stdin', 'from a file']);
  });

  test('is shown as waiting, delivered, or not delivered and why', async () => {
    const work = await beginFocus(db.database);
    await animus(['work', 'say', work.id, 'Hello \u001b[2J there']);
    const show = async () => (await animus(['work', 'show', work.id])).stdout;
    expect(await show()).toContain('waits for the next turn');
    await beginTurn(db.database, work.key, 1, 0);
    expect(await show()).toContain('delivered with turn 1');
    expect(await show()).not.toContain('\u001b[2J');
    await animus(['work', 'say', work.id, 'Too late']);
    await db.database.query(`select animus.cancel_work($1)`, [work.id]);
    await db.database.query(`select animus.end_cancelled($1, $2)`, [work.id, work.leaseToken]);
    expect(await show()).toContain('not delivered: the work was cancelled before its next turn');
  });

  test('is an event when it is said and when it is delivered', async () => {
    const work = await beginFocus(db.database);
    let after: string | null = null;
    const look = async () => {
      const { events } = await readEvents(db.database, { kind: 'work', id: work.id }, after);
      after = events.at(-1)?.id ?? after;
      return events;
    };
    await look();
    await animus(['work', 'say', work.id, 'Hello']);
    expect(await look()).toMatchObject([{ type: 'message', text: 'Hello', deliveredWith: null }]);
    await beginTurn(db.database, work.key, 1, 0);
    expect(await look()).toMatchObject([{ type: 'message', text: null, deliveredWith: 1 }]);
  });

  test('refuses ended work, a missing text and a text that is too long, each with its exit code', async () => {
    const work = await beginFocus(db.database);
    expect(await animus(['work', 'say', work.id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--file') as string,
    });
    expect(await animus(['work', 'say', work.id, 'a', '--file', 'b'])).toMatchObject({ code: 2 });
    expect(await animus(['work', 'say', work.id, '--file', 'nowhere'])).toMatchObject({ code: 2 });
    expect(await animus(['work', 'say', work.id, 'x'.repeat(70_000)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('65536') as string,
    });
    await completeWork(db.database, work, {}, null);
    expect(await animus(['work', 'say', work.id, 'Hello?'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('nobody would read') as string,
    });
    expect(await animus(['work', 'say', 'ffffffffffff', 'Hello?'])).toMatchObject({ code: 3 });
  });

  test('to merged work says which work got it', async () => {
    const first = await submit('doubled', '--dedup-key', 'k');
    const { stdout } = await animus(['work', 'submit', 'doubled', 'x', '--dedup-key', 'k', '--json']);
    const { id } = JSON.parse(stdout) as { id: string };
    expect((await animus(['work', 'say', id, 'Hurry'])).stdout).toContain(`merged into ${first}`);
  });
});
