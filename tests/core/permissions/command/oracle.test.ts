/** A real bash as the judge: whatever it ran is what was found in the line, or the line counted as unclear. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../../../src/core/permissions/command/command-fit.ts';

/** Programs that only record that they ran, with their first argument, in place of some that are known to run no others: so each has to be found. */
const STUBS = ['nl', 'wc', 'df'] as const;
const TIME_OUT_MS = 60_000;
const RUNS = Number(process.env['ANIMUS_ORACLE_RUNS'] ?? 100);

let directory = '';
let lines = 0;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'animus-oracle-'));
  for (const name of STUBS) {
    writeFileSync(join(directory, name), `#!/bin/sh\necho "${name} $1" >> "$RAN"\necho zz\n`);
    chmodSync(join(directory, name), 0o755);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What bash runs for the line: `name argument` of each stub. */
function runs(line: string): readonly string[] {
  // A file of its own: what an earlier line left in the background may still run.
  const log = join(directory, `ran-${++lines}`);
  writeFileSync(log, '');
  const env = { PATH: `${directory}:/usr/bin:/bin`, RAN: log, HOME: directory };
  try {
    execFileSync('bash', ['-c', line], { env, cwd: directory, stdio: ['ignore', 'ignore', 'ignore'], timeout: 5000 });
  } catch {
    // The line may be wrong, or fail; what ran until then counts.
  }
  return [
    ...new Set(
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((ran) => ran !== ''),
    ),
  ];
}

function expectAllFound(line: string): void {
  const read = commandLine(line);
  for (const ran of runs(line)) {
    const [name = '', argument = ''] = ran.split(' ');
    expect(read.touchedBy(`${name} *`), `${JSON.stringify(line)} ran ${ran}`).not.toBe('no');
    // In a rule, a backslash stands before a star or a backslash that is meant as one.
    if (argument !== '')
      expect(
        read.touchedBy(`${name} ${argument.replaceAll(/[*\\]/g, String.raw`\$&`)}*`),
        `${JSON.stringify(line)} ran ${ran}`,
      ).not.toBe('no');
  }
}

/** Pieces of shell syntax, so that most lines are nearly right. */
const piece = fc.constantFrom(
  'nl',
  'wc',
  'df',
  'nl p',
  'wc "q"',
  "df 'r'",
  'n\\l',
  "w''c",
  '"df"',
  "$'\\x6el'",
  'x=nl',
  '$x',
  '${x:-wc}',
  '$(nl)',
  '`wc`',
  '"$(df p)"',
  ' ',
  '  ',
  ';',
  ' ; ',
  '&&',
  '||',
  '|',
  ' & ',
  '\n',
  '(',
  ')',
  '{ ',
  '; }',
  '!',
  ' # ',
  '$((1+',
  '))',
  '((',
  '[[ a == ',
  ' ]]',
  'if ',
  '; then ',
  '; fi',
  'while ',
  '; do ',
  '; done',
  'for i in nl; do ',
  'case x in x) ',
  ';; esac',
  'f() ',
  '; f',
  'function g ',
  '<<E\n',
  '\nE\n',
  '<<< ',
  '<(',
  '> /dev/null',
  '2>&1',
  '< /dev/null',
  '"',
  "'",
  '\\',
  '\\\n',
  '$',
  '`',
  '{nl,wc}',
  '[a]*',
  '~',
  '=',
  '+=',
  'eval ',
  'sh -c ',
  'bash -c ',
  'env ',
  'exec ',
  'command ',
  'builtin ',
  'xargs ',
  'trap ',
  ' EXIT',
  'time ',
  'coproc ',
  'nohup ',
  'timeout 2 ',
  '"nl p"',
  "'wc;df'",
  "'nl $(wc)'",
  '-u ',
  '-- ',
  '-n 1 ',
  'find . -maxdepth 0 -exec ',
  ' \\;',
  ' {} +',
  'a=(',
  'declare ',
  'export ',
  'local ',
);

const quoted = (line: string) => `'${line.replaceAll("'", `'\\''`)}'`;

/** Whole commands in each other: most of these lines run something. */
const { line } = fc.letrec<{ simple: string; line: string }>((tie) => {
  const inner = tie('line');
  return {
    simple: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'simple' },
      fc.constantFrom('nl p', 'wc q', "df 'r'", "n''l p", '\\wc q', "$'\\x64f' r", 'x=nl; $x p'),
      inner.map((line) => `sh -c ${quoted(line)}`),
      inner.map((line) => `bash -ec ${quoted(line)}`),
      inner.map((line) => `eval ${quoted(line)}`),
      inner.map((line) => `trap ${quoted(line)} EXIT`),
      inner.map((line) => `bash <<'END'\n${line}\nEND\n`),
      inner.map((line) => `bash <<< ${quoted(line)}`),
      fc
        .tuple(
          fc.constantFrom(
            'env X=1',
            'env -i "PATH=$PATH" "RAN=$RAN"',
            'nohup',
            'timeout 2',
            'nice -n 1',
            'command',
            'exec',
          ),
          inner,
        )
        .map(([runner, line]) => `${runner} sh -c ${quoted(line)}`),
      fc.constantFrom(
        'env X=1 nl p',
        'nohup timeout 2 wc q',
        'echo p | xargs nl',
        'find . -maxdepth 0 -exec wc q {} \\;',
      ),
    ),
    line: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'line' },
      tie('simple'),
      fc.tuple(inner, fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n'), inner).map((parts) => parts.join('')),
      inner.map((line) => `(${line}\n)`),
      inner.map((line) => `{ ${line}\n}`),
      inner.map((line) => `echo "$(${line}\n)" > /dev/null`),
      inner.map((line) => `cat < <(${line}\n) > /dev/null`),
      inner.map((line) => `if ${line}\nthen :; fi`),
      inner.map((line) => `for i in 1; do ${line}\ndone`),
      inner.map((line) => `case x in *) ${line}\n;; esac`),
      inner.map((line) => `f() { ${line}\n}; f`),
      inner.map((line) => `x=\${y:-$(${line}\n)}`),
      inner.map((line) => `cat <<END > /dev/null\n$(${line}\n)\nEND\n`),
    ),
  };
});

describe('a real bash', () => {
  it(
    'runs nothing in commands within commands that was not found',
    () => {
      fc.assert(fc.property(line, expectAllFound), { numRuns: RUNS, endOnFailure: true });
    },
    TIME_OUT_MS,
  );

  it(
    'runs nothing in generated lines that was not found',
    () => {
      fc.assert(
        fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), (pieces) => expectAllFound(pieces.join(''))),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIME_OUT_MS,
  );

  it(
    'runs one command only of a line that a rule allows as a whole',
    () => {
      const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `nl ${pieces.join('')}`);
      fc.assert(
        fc.property(word, (line) => {
          if (!commandLine(line).allowedBy('nl *')) return;
          expect(runs(line).filter((ran) => !ran.startsWith('nl'))).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    TIME_OUT_MS,
  );
});
