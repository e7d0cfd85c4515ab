import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { displayWidth } from '../../../src/terminal/view/display-width.ts';
import { createOutput, styled } from '../../../src/terminal/view/output.ts';

const COLUMNS = [{ title: 'ID' }, { title: 'N', align: 'right' as const }, { title: 'TEXT', shrink: true }];

test('a command is printed as animus was called, also where it begins after a word', () => {
  const shown = [{}, { npm_command: 'exec' }].map((env) => {
    const { output, printed } = capture({ env });
    output.command('  see it  ', 'work diff c657');
    return printed();
  });
  expect(shown).toEqual(['  see it  animus work diff c657\n', '  see it  npx animus work diff c657\n']);
});

describe('a table', () => {
  test('is aligned, without trailing space, and without tabs and colours when piped', () => {
    const { output, printed } = capture({});
    output.table(COLUMNS, [
      ['a', '1', styled('日本', 'red')],
      ['bbb', '22', 'x\ty'],
    ]);
    expect(printed()).toBe('ID    N  TEXT\na     1  日本\nbbb  22  x y\n');
  });

  test.each([20, 40, 80])('fits a terminal of %i columns', (columns) => {
    const { output, printed } = capture({ columns });
    output.table(COLUMNS, [['a'.repeat(12), '7', `${'日本語'.repeat(40)}\u001b[2J`]]);
    output.line(styled('bold', 'bold'), 'x'.repeat(200));
    for (const line of printed().trimEnd().split('\n')) {
      expect(displayWidth(withoutColours(line))).toBeLessThanOrEqual(columns);
    }
    expect(printed()).toContain('…');
    expect(printed()).not.toContain('\u001b[2J');
  });

  test('treats a terminal that reports no columns as 80 columns wide', () => {
    const { output, printed } = capture({ columns: 0 });
    output.line('x'.repeat(200));
    expect(printed()).toBe(`${'x'.repeat(79)}…\n`);
  });

  test('narrows the widest column first, and no other', () => {
    const { output, printed } = capture({ columns: 30 });
    output.table(
      [
        { title: 'A', shrink: true },
        { title: 'B', shrink: true },
      ],
      [['short', 'x'.repeat(100)]],
    );
    expect(printed()).toContain(`short  ${'x'.repeat(22)}…`);
  });

  test('drops optional columns if it would be too wide, the last one first', () => {
    const columns = [
      { title: 'ID' },
      { title: 'AGE', optional: true },
      { title: 'COST', optional: true },
      { title: 'TEXT', shrink: true },
    ];
    const row = ['a'.repeat(12), 'b'.repeat(6), 'c'.repeat(6), 'd'.repeat(50)];
    const titles = [60, 38, 30].map((width) => {
      const { output, printed } = capture({ columns: width });
      output.table(columns, [row]);
      return withoutColours(printed().split('\n')[0] ?? '')
        .trim()
        .split(/ +/);
    });
    expect(titles).toEqual([
      ['ID', 'AGE', 'COST', 'TEXT'],
      ['ID', 'AGE', 'TEXT'],
      ['ID', 'TEXT'],
    ]);
  });
});

describe('colours', () => {
  test.each([
    [{ columns: 80 }, true],
    [{}, false],
    [{ columns: 80, env: { NO_COLOR: '1' } }, false],
    [{ columns: 80, env: { TERM: 'dumb' } }, false],
  ])('for %j: %s', (given, coloured) => {
    const { output, printed } = capture(given);
    output.line(styled('x', 'red'));
    expect(printed().includes('\u001b[31m')).toBe(coloured);
  });
});

describe('an error', () => {
  test('is printed on stderr and sets the exit code', () => {
    const { output, errors } = capture({});
    expect(output.fail(new AnimusError('work.not_found', { detail: 'no work item abc\u001b[2J' }))).toBe(3);
    expect(errors()).toBe('animus: no work item abc\\x1b[2J\n');
  });

  test('is one JSON object with --json', () => {
    const { output, errors, printed } = capture({ json: true });
    output.fail(new AnimusError('db.not_migrated', { where: 'db:5432/x' }));
    expect(JSON.parse(errors())).toEqual({
      error: { code: 'db.not_migrated', message: expect.stringContaining('animus db migrate') },
    });
    expect(printed()).toBe('');
  });

  test('that is unexpected is reported as a bug, with its stack', () => {
    const { output, errors } = capture({});
    expect(output.fail(new TypeError('x is not a function'))).toBe(1);
    expect(errors()).toMatch(/internal error: x is not a function.*bug in animus[\s\S]*at /);
  });
});

test('a block is wrapped and indented, in its colour on a terminal, and is nothing with --json', () => {
  const shown = [{ columns: 20 }, {}, { json: true, columns: 20 }].map((options) => {
    const { output, printed } = capture(options);
    output.block('one two three four five', '  ', 'dim');
    output.block('plain');
    return printed();
  });
  expect(shown).toEqual([
    '\u001b[2m  one two three four\u001b[0m\n\u001b[2m  five\u001b[0m\nplain\n',
    '  one two three four five\nplain\n',
    '',
  ]);
});

function capture({
  columns,
  env = {},
  json = false,
}: {
  columns?: number;
  env?: Record<string, string>;
  json?: boolean;
}) {
  let [stdout, stderr] = ['', ''];
  const tty = columns === undefined ? {} : { isTTY: true, columns };
  const output = createOutput({
    stdout: { write: (text) => (stdout += text), ...tty },
    stderr: { write: (text) => (stderr += text) },
    env,
    json,
  });
  return { output, printed: () => stdout, errors: () => stderr };
}

function withoutColours(line: string): string {
  return stripVTControlCharacters(line);
}
