/** Rules about commands decide by what is known: what may run something else asks, and daily work does not. */
import { describe, expect, it } from 'vitest';
import { ITSELF } from '../../../../src/core/permissions/command/run-kinds.ts';
import { startsOf } from '../../../../src/core/permissions/command/starts-of.ts';
import { whatRuns } from '../../../../src/core/permissions/command/what-runs.ts';
import { permissionOf } from '../../../../src/core/permissions/permissions.ts';
import { parseRuleKey, type RuleKey } from '../../../../src/core/permissions/rule-key.ts';
import { UNKNOWN } from '../../../../src/core/permissions/text/wildcard.ts';
import type { Verdict } from '../../../../src/core/permissions/verdict.ts';
import { EVASIONS, NAMED } from './evasions.ts';
import { ORDINARY } from './ordinary-lines.ts';

const BASH = { name: 'bash', risk: 'execute', origin: 'faculty', kinds: { command: 'command' } } as const;

const verdictOn = (command: string, rules: Readonly<Record<string, Verdict>>) => permissionOn(command, rules).verdict;

function permissionOn(command: string, rules: Readonly<Record<string, Verdict>>) {
  const parsed = Object.entries(rules).map(([key, verdict]) => ({
    ...(parseRuleKey(key) as RuleKey),
    key,
    verdict,
    at: '',
  }));
  const call = { tool: BASH, input: { command }, workspace: '/w', unprotected: false };
  return permissionOf({ rules: parsed, risk: {}, approvalDeadlineSeconds: 1 }, call);
}

describe.each(Object.entries(EVASIONS))('%s', (_, lines) => {
  it.each(lines)('%j does not run unasked', (line) => {
    expect(verdictOn(line, { bash: 'auto', 'bash(canary *)': 'forbid' })).not.toBe('auto');
    expect(verdictOn(line, { bash: 'auto', 'bash(canary *)': 'ask' })).toBe('ask');
  });
});

it.each(['xargs {} x', 'fd . -x {}'])('%j asks because the name of the command is read', (line) => {
  expect(permissionOn(line, { bash: 'auto', 'bash(canary *)': 'forbid' })).toMatchObject({
    verdict: 'ask',
    unclear: 'the name of a command is only known when it runs',
  });
});

it('a word before the command that is only known when it runs may begin another one', () => {
  const rules = { bash: 'auto', 'bash(canary *)': 'forbid' } as const;
  expect(verdictOn('timeout $time ls', rules)).toBe('ask');
  expect(verdictOn('timeout 5 ls', rules)).toBe('auto');
  // Two places find that out, each by itself.
  expect(whatRuns(['timeout', '--', UNKNOWN, 'ls'])).toMatchObject({ kind: 'unclear' });
  expect(startsOf(['timeout', '--', UNKNOWN, 'ls'], null).unclear).not.toBeNull();
  expect(whatRuns(['timeout', '--', '5', 'ls'])).toEqual(ITSELF);
});

/** Programs that run the command that their words name. */
const RUNNERS = [
  'builtin command coproc exec time ! arch bwrap busybox caffeinate catchsegv cgexec choom chroot chrt cpulimit',
  'daemonize dbus-run-session doas env entr fakeroot faketime fd fdfind firejail flock gtimeout gosu ionice',
  'linux32 linux64 ltrace nice nohup nsenter numactl parallel pkexec prlimit proxychains proxychains4 retry',
  'rlwrap runcon runuser script setarch setpriv setsid sg ssh ssh-agent start-stop-daemon stdbuf strace su',
  'su-exec sudo systemd-inhibit systemd-run taskset timeout tmux screen torsocks torify toybox unbuffer unshare',
  'valgrind viddy watch xargs xvfb-run',
].flatMap((line) => line.split(' '));

it.each(RUNNERS)('a command that is forbidden stays so behind %s', (name) => {
  expect(verdictOn(`${name} canary x`, { bash: 'auto', 'bash(canary *)': 'forbid' })).toBe('forbid');
});

it('are enough to mean something', () => {
  expect(Object.values(EVASIONS).flat().length).toBeGreaterThanOrEqual(200);
  expect(ORDINARY.length).toBeGreaterThanOrEqual(100);
});

describe('a rule about something else', () => {
  it.each(ORDINARY)('leaves %j alone', (line) => {
    expect(verdictOn(line, { bash: 'auto', 'bash(canary *)': 'forbid' })).toBe('auto');
    expect(verdictOn(line, { bash: 'auto', 'bash(canary *)': 'ask' })).toBe('auto');
  });
});

describe('an auto rule that names a program', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm *', 'npm run build'],
    ['make*', 'make -j4 all'],
    ['git commit *', 'git commit -m x'],
    ['python3 *', 'python3 x.py'],
    ['./run.sh *', './run.sh a'],
  ])('%j covers what %j runs by itself', (rule, line) => {
    expect(verdictOn(line, { bash: 'auto', 'bash(canary *)': 'forbid' })).toBe('ask');
    expect(verdictOn(line, { bash: 'ask', 'bash(canary *)': 'forbid', [`bash(${rule})`]: 'auto' })).toBe('auto');
    expect(verdictOn(`${line}; ls`, { bash: 'auto', 'bash(canary *)': 'forbid', [`bash(${rule})`]: 'auto' })).toBe(
      'ask',
    );
    expect(verdictOn(`${line}; canary x`, { 'bash(canary *)': 'forbid', [`bash(${rule})`]: 'auto' })).toBe('forbid');
  });

  it.each(NAMED)('%j does not cover what %j hides', (rule, line) => {
    expect(verdictOn(line, { bash: 'auto', 'bash(canary *)': 'forbid', [`bash(${rule})`]: 'auto' })).not.toBe('auto');
  });
});
