/**
 * Promise: no command that a rule forbids runs unasked, as far as its words are the way to run it. The lines of the corpus are real: run without rules, in the
 * best isolation of this host, many of them run the canary.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandLine } from '../../src/core/permissions/command/command-fit.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../src/process/isolation.ts';
import { EVASIONS } from '../core/permissions/command/evasions.ts';
import { ORDINARY } from '../core/permissions/command/ordinary-lines.ts';
import { startDirectory } from '../process/isolation-modes.ts';

const isolation = await detectIsolation();
const TIME_OUT_MS = 300_000;
/** All lines run, and those that ran the canary are printed; otherwise every fourth does. */
const LISTED = process.env['ANIMUS_LIST_EVASIONS'] !== undefined;

/** Runs a line in an empty workspace of its own, without rules: true if the canary ran. */
async function canaryRunner(): Promise<(line: string) => Promise<boolean>> {
  const host = createProcessHost({ graceMs: 100 });
  onTestFinished(() => host.stop());
  host.setLimits('focus', { memoryBytes: 400 * 2 ** 20, processes: 200 });
  const base = mkdtempSync(join(startDirectory(isolation), 'animus-canary-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  let lines = 0;
  return async (line) => {
    const cwd = join(base, `line-${++lines}`);
    const ran = join(cwd, 'ran');
    mkdirSync(join(cwd, 'bin'), { recursive: true });
    writeFileSync(join(cwd, 'bin/canary'), `#!/bin/sh\n[ "$1" = --version ] || : > ${ran}\ncat\n`);
    chmodSync(join(cwd, 'bin/canary'), 0o755);
    writeFileSync(join(cwd, 'big'), 'a line\n'.repeat(20_000));
    for (const place of [base, cwd, join(cwd, 'bin')]) chmodSync(place, 0o777);
    await host.run(
      {
        owner: 'focus',
        command: 'bash',
        args: ['-c', line],
        cwd,
        env: { PATH: `${cwd}/bin:/usr/local/bin:/usr/bin:/bin`, HOME: cwd },
        timeoutMs: 3000,
        maxOutputBytes: 10_000,
        isolation,
      },
      new AbortController().signal,
    );
    const result = existsSync(ran);
    rmSync(cwd, { recursive: true, force: true });
    return result;
  };
}

/** What an option could be given so that its program runs it. */
const HOOKS: readonly string[] = [
  'canary',
  `'canary x'`,
  `'!canary x'`,
  `'1e canary x'`,
  `'BEGIN { system("canary") }'`,
  `';'`,
  '+',
  'big',
  '/dev/null',
  '.',
  'ls',
  '{}',
  '<<< canary',
];
const PROGRAMS: readonly string[] = (
  'sort split diff sed awk grep find xargs env nice timeout flock stdbuf setsid nohup time command exec printf read mapfile jobs set test [ git ' +
  'export declare tee date stat ls cat tr unzip gzip file od dd cp jq curl bash sh eval trap'
).split(' ');
const GIT: readonly string[] = [
  'status',
  'log',
  'diff',
  'add',
  'show',
  'branch',
  'config',
  'grep',
  'blame',
  'tag',
  'remote',
];

/** `--name` of what the manual of such programs has, short options, and abbreviations. */
const option = fc.oneof(
  fc.constantFrom(
    ...'--compress-program --filter --exec --command --split-string --pre --output --expression --file --ext-diff --paginate --open-files-in-pager'.split(
      ' ',
    ),
    ...'-exec -execdir -ok -c -C -x -e -f -I -O -S -s -p -P -v -i -a -k -n -o --'.split(' '),
  ),
  fc.stringMatching(/^-[A-Za-z]{1,2}$/),
  fc.stringMatching(/^--[a-z]{1,4}$/),
);
const piece = fc.oneof(
  option,
  fc.tuple(option, fc.constantFrom(...HOOKS)).map(([name, value]) => `${name}=${value}`),
  fc.tuple(fc.stringMatching(/^-[A-Za-z]$/), fc.constantFrom(...HOOKS)).map((parts) => parts.join('')),
  fc.constantFrom(...HOOKS),
  fc.constantFrom('core.fsmonitor=canary', 'PATH=bin', 'alias.x=!canary', 'a[$(canary)]', `'a[$(canary)]'`),
);
const program = fc.oneof(
  fc.constantFrom(...PROGRAMS),
  fc.constantFrom(...GIT).map((command) => `git ${command}`),
);
const generated = fc
  .tuple(program, fc.array(piece, { minLength: 1, maxLength: 5 }))
  .map(([name, pieces]) => `git init -q . 2> /dev/null; ${name} ${pieces.join(' ')} < /dev/null`);

describe(`in isolation ${isolation}`, () => {
  it(
    'lines of the corpus run the canary, and rules let none of them run unasked',
    async () => {
      const runs = await canaryRunner();
      const all = Object.values(EVASIONS)
        .flat()
        .filter((_, at) => LISTED || at % 4 === 0);
      const ran: string[] = [];
      const left = [...all];
      const next = async (): Promise<void> => {
        for (let line = left.pop(); line !== undefined; line = left.pop()) if (await runs(line)) ran.push(line);
      };
      await Promise.all([next(), next(), next(), next()]);
      // Programs that are not installed here run nothing; shells, git, find, xargs, sort, sed, tar and awk are everywhere.
      expect(ran.length).toBeGreaterThan(all.length / 4);
      for (const line of ran) expect(commandLine(line).touchedBy('canary *'), line).not.toBe('no');
      if (LISTED) process.stdout.write(`${ran.length} of ${all.length}:\n${ran.join('\n')}\n`);
    },
    TIME_OUT_MS,
  );

  it(
    'what is known to run nothing else does not run the canary',
    async () => {
      const runs = await canaryRunner();
      for (const line of ORDINARY.filter((_, at) => LISTED || at % 4 === 0))
        expect([line, await runs(line)]).toEqual([line, false]);
      await fc.assert(
        fc.asyncProperty(generated, async (line) => {
          if (commandLine(line).touchedBy('canary*') !== 'no') return;
          expect(await runs(line), line).toBe(false);
        }),
        { numRuns: Number(process.env['ANIMUS_ORACLE_RUNS'] ?? 100), endOnFailure: true },
      );
    },
    TIME_OUT_MS,
  );
});
