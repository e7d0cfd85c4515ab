import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { AnimusError } from '../../src/core/errors/errors.ts';
import { openLog } from '../../src/telemetry/log.ts';

function captured(format: 'json' | 'pretty', level = 'debug') {
  const lines: string[] = [];
  const log = openLog({ level, format, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, json: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test('a line is one JSON object with level, time, message and fields', () => {
  const { log, json } = captured('json');
  log.child({ 'work.daemon_id': 'd1' }).info({ 'work.id': 'w1', text: 'two\nlines · ünïcode' }, 'claimed');
  expect(json()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      message: 'claimed',
      'work.daemon_id': 'd1',
      'work.id': 'w1',
      text: 'two\nlines · ünïcode',
    },
  ]);
});

test('secrets are masked by name at any depth, in texts by shape, and in errors', () => {
  const { log, lines } = captured('json');
  const url = 'postgres://me:hunter2@db:5432/app';
  const cause = new Error(`cannot use ${url}`);
  log.child({ api_key: 'hunter2' }).warn(
    {
      nested: {
        deep: [{ Authorization: 'Bearer hunter2hunter2', connectionString: url, ANTHROPIC_API_KEY: 'hunter2' }],
      },
      text: `failed for ${url} with Bearer abcdefghijk.hunter2 and sk-ant-REDACTED-hunter2`,
      err: new AnimusError('db.unreachable', { where: 'db', detail: url }, { cause }),
    },
    'trouble',
  );
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('')).toContain('db.unreachable');
});

test('circular and very large values do not break a line', () => {
  const { log, json } = captured('json');
  const circular: Record<string, unknown> = { name: 'loop', big: 10n, map: new Map([[1, 2]]) };
  circular['self'] = circular;
  log.error({ circular, list: Array.from({ length: 5_000 }, (_, i) => i) }, 'odd');
  expect(json()[0]).toMatchObject({ message: 'odd', circular: { name: 'loop', big: '10' } });
  expect(json()[0]?.['list']).toHaveLength(100);
});

test('on a terminal a line is readable for people, with the stack of an error below it', () => {
  const { log, lines } = captured('pretty');
  log.info({ faculty: 'engineer', text: 'a b' }, 'claimed');
  log.error({ err: new Error('boom') }, 'failed');
  const text = stripVTControlCharacters(lines.join(''));
  expect(text).toMatch(/^\d\d:\d\d:\d\d INFO {2}claimed faculty=engineer text="a b"\n/);
  expect(text).toMatch(/ERROR failed err=boom\n {4}Error: boom\n {4,}at /);
});

test('the level suppresses lines, and an unknown level means info', () => {
  const quiet = captured('json', 'warn');
  quiet.log.info({}, 'no');
  quiet.log.warn({}, 'yes');
  const odd = captured('json', 'loud');
  odd.log.debug({}, 'no');
  odd.log.info({}, 'yes');
  expect([...quiet.json(), ...odd.json()].map((line) => line['message'])).toEqual(['yes', 'yes']);
});

const CONTROLS = 'a\u001b[2Jb\u009b31mc\u0007d\u007f\u0085\u202ee\rf';

test('no character of fields, messages or errors can control the terminal that shows the log', () => {
  for (const format of ['pretty', 'json'] as const) {
    const { log, lines } = captured(format);
    const error = new Error(CONTROLS);
    error.stack = `Error: ${CONTROLS}\n    at ${CONTROLS}`;
    log
      .child({ [CONTROLS]: CONTROLS })
      .warn({ bare: `x${CONTROLS}`.replace(/\s/g, ''), list: [CONTROLS], err: error }, CONTROLS);
    const text = stripOwnColours(lines.join(''));
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('a');
  }
  const { log, json } = captured('json');
  log.info({ text: CONTROLS }, 'still the same');
  expect(json()[0]?.['text']).toBe(CONTROLS);
});

/** The colours of the log itself. */
function stripOwnColours(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\u001b\[\d+m/g, '');
}
