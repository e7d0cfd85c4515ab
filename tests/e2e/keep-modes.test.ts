import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

const MODES = ['transcript', 'ledger', 'nothing'] as const;

// The model here answers by words of its messages, so those of other work must not be among them.
const FACULTY = (mode: string) => `
[faculty]
name = "${mode}"
[faculty.awareness]
enabled = false
[faculty.engage]
model = "${MODEL}"
system_prompt = "You try again."
[faculty.consolidate]
command = "./check.sh"
[faculty.recover]
command = "./recover-${mode}.sh"
`;

describe('after a failed attempt', () => {
  const pg = testDatabase({ anew: true });

  it('the next one continues from the transcript, from the ledger, or from nothing, as the recover hook decides', async () => {
    const server = await startModelServer((body) => {
      const said = JSON.stringify(body['messages']);
      if (said.includes('not good enough')) return { content: [text('better')] };
      if (!said.includes('tool_result')) {
        return { content: [toolUse('l', 'ledger_append', { type: 'finding', content: 'the water is wet' })] };
      }
      return { content: [text(/second/.test(said) ? 'better' : 'first try')] };
    });
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      faculties: Object.fromEntries(MODES.map((mode) => [mode, FACULTY(mode)])),
    });
    const script = (name: string, content: string) =>
      writeFileSync(join(site.directory, 'faculties', name), `#!/bin/sh\n${content}\n`, { mode: 0o755 });
    // Only a second attempt is accepted.
    script('check.sh', `grep -q '"attempts":0' && { echo 'not good enough' >&2; exit 2; }; exit 0`);
    for (const mode of MODES) {
      script(`recover-${mode}.sh`, `echo '{"action": "retry", "delay_seconds": 0, "keep": "${mode}"}'`);
    }
    await startDaemon(site);

    const foci: Record<string, unknown[]> = {};
    const messages: Record<string, string[]> = {};
    const asked: Record<string, string[]> = {};
    for (const mode of MODES) {
      const [row] = await pg.database.query<{ id: string }>(
        'insert into animus.work_items (faculty) values ($1) returning id',
        [mode],
      );
      const state = await eventually(
        `${mode} ends`,
        async () => {
          const [item] = await pg.database.query<{ state: string }>(
            'select state from animus.work_items where id = $1 and resolved_at is not null',
            [row!.id],
          );
          return item?.state ?? null;
        },
        60,
      );
      expect([mode, state]).toEqual([mode, 'completed']);
      foci[mode] = await pg.database.query(
        'select number, resumes, ended_as from animus.foci where work_item_id = $1 order by number',
        [row!.id],
      );
      const said = await pg.database.query<{ content: string }>(
        `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id
          where f.work_item_id = $1 order by f.number, m.seq`,
        [row!.id],
      );
      messages[mode] = said.map(({ content }) => content);
      asked[mode] = server.requests
        .filter((request) => request.body.toString().includes(row!.id))
        .map((request) => JSON.stringify(messagesOf(request.json!)));
    }

    expect(foci['transcript']).toEqual([{ number: 1, resumes: 1, ended_as: 'completed' }]);
    expect(messages['transcript']).toHaveLength(2);
    expect(messages['transcript']![1]).toMatch(/^This attempt at the work failed: [^]*not good enough/);
    for (const mode of ['ledger', 'nothing']) {
      expect(foci[mode]).toEqual([
        { number: 1, resumes: 0, ended_as: 'failed' },
        { number: 2, resumes: 0, ended_as: 'completed' },
      ]);
    }
    // What the model gets: the whole first attempt and why it failed, or a new start.
    expect(asked['transcript']).toHaveLength(3);
    for (const part of ['the water is wet', 'first try', 'not good enough'])
      expect(asked['transcript']![2]).toContain(part);
    for (const mode of ['ledger', 'nothing']) {
      const [, , secondAttempt] = asked[mode]!;
      expect(secondAttempt).not.toContain('tool_result');
      expect(secondAttempt).not.toContain('first try');
    }
    expect(asked['ledger']![2]).toContain('These entries are from an earlier attempt');
    expect(asked['nothing']![2]).not.toContain('the water is wet');
    expect(messages['ledger']![1]).toContain('the water is wet');
    expect(messages['nothing']![1]).not.toContain('the water is wet');
    expect(server.requests.filter((request) => request.refused !== null)).toEqual([]);
  }, 180_000);
});
