/** Command lines that try to run `git push` past rules about it. */
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../../src/core/permissions/command/command-fit.ts';
import { starAllows } from '../../../../src/core/permissions/command/star-allows.ts';
import { DOES_NOT, MAY_RUN_IT, MORE, RUNS_IT } from './hostile-lines.ts';

describe('rules that ask or forbid', () => {
  it.each(RUNS_IT)('find git push in %j', (line) => {
    expect(commandLine(line).touchedBy('git push*')).toBe('yes');
    expect(commandLine(line).allowedBy('git log*')).toBe(false);
  });

  it.each(MAY_RUN_IT)('do not overlook what may be git push in %j', (line) => {
    expect(commandLine(line).touchedBy('git push*')).toBe('maybe');
  });

  it.each(MORE)('say of %j that it may run other programs', (line) => {
    expect(commandLine(line).touchedBy('git push*')).toBe('more');
  });

  it.each(DOES_NOT)('leave %j alone', (line) => {
    expect(commandLine(line).touchedBy('git push*')).toBe('no');
  });
});

describe('a rule that allows', () => {
  it.each([
    'git log',
    'git log -1 --stat',
    ' git log ',
    'git log\n',
    'git log \'a b\' "c;d"',
    'git log -- *.md',
    "git log --grep='$(x)'",
  ])('fits %j', (line) => {
    expect(commandLine(line).allowedBy('git log *')).toBe(true);
  });

  const more = [
    'git log; ls',
    'git log;',
    'git log & ls',
    'git log | cat',
    'git log > f',
    'git log < f',
    'git log 2>&1',
    'git log $x',
    'git log ${x}',
    'git log $(ls)',
    'git log `ls`',
    'git log "$x"',
    'git log "`ls`"',
    'git log\nls',
    'git log\rls',
    'git log \\\nls',
    'git log {a,b}',
    'X=1 git log',
    '(git log)',
    '{ git log; }',
    '! git log',
    'time git log',
    'git log # x',
    'git log <(ls)',
    'g\\it log',
    "$'git' log",
    '/tmp/git log',
    './git log',
    'GIT log',
    'sudo git log',
    'git\u00a0log',
    'gіt log',
    'git log\u0000',
    'git log \ud800',
    '"git log"',
    'git "log -1',
    'git  l*g',
    'gi? log',
    '~/git log',
    'git log !x"',
    'git log $',
    'git log \\',
    'git log é',
    '',
    ' ',
    '#',
    'log git log',
  ];
  it.each(more)('does not fit %j', (line) => {
    expect(commandLine(line).allowedBy('git log *')).toBe(false);
  });

  it.each([
    'python3 -c x --version',
    './x --version',
    'npx x --version',
    'git -c a=b --version',
    'sh -c x --version',
    'env x --version',
    'find . --version',
    'eval x --version',
    'sudo x --version',
  ])('with a star in place of the name does not allow %j, which runs others', (line) => {
    expect(commandLine(line).allowedBy('* --version')).toBe(false);
    expect(commandLine('node --version').allowedBy('* --version')).toBe(true);
  });

  it('keeps words apart', () => {
    expect(commandLine("cp 'a b'").allowedBy('cp a b')).toBe(false);
    expect(commandLine("npm run 'x y'").allowedBy('npm run *')).toBe(true);
    expect(commandLine("cp '' b").allowedBy('cp  b')).toBe(false);
  });
});

describe('a star', () => {
  it.each([
    ['git log*', 'git log --output=FILE'],
    ['git log *', 'git log --output=FILE'],
    ['* --version', 'rm -rf -- . --version'],
    ['python3 *', 'python3 -c CODE'],
    ['sudo *', 'sudo rm x'],
    ['sh *', 'sh rm x'],
    ['sort *', 'sort --compress-program=PROGRAM'],
    ['find *', 'find . -delete'],
  ])('in %j allows more than it says, such as %j', (pattern, example) => {
    expect(starAllows(pattern)).toBe(example);
  });

  it.each(['git log', 'npm test*', 'ls *', 'cat docs/*', 'cargo build *', '*', 'sh ci/build.sh *'])(
    'in %j is what it says',
    (pattern) => {
      expect(starAllows(pattern)).toBe(null);
    },
  );
});
