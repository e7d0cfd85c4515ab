/** From the tarball to merged changes in a project of one's own, with the commands that each step prints: two agents at once, which ask before they write. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { emptyDirectory, nodeShell, pack } from './tarball.ts';

const TASKS = ['List the TODOs', 'Describe the project'] as const;

/** Each agent asks to write a file of its own. */
const SCRIPT = TASKS.map(
  (task, n) => `
[[answer]]
turn = 1
when = { task_contains = "${task}" }
[[answer.call]]
tool = "write_file"
input = { path = "agent-${n}.md", content = "${task}\\n" }
[[answer]]
turn = 2
when = { task_contains = "${task}" }
text = "${task}: done."
`,
).join('');

test('two agents ask, write at once, and both changes are merged', { timeout: 1_800_000 }, async () => {
  const directory = emptyDirectory('journey');
  const { filename } = await pack(directory);
  const shell = nodeShell(process.execPath);
  const [project, home] = [join(directory, 'mine'), join(directory, 'home')];
  for (const path of [project, home]) mkdirSync(path);
  writeFileSync(join(home, '.gitconfig'), '[user]\nname = Ada\nemail = ada@example.org\n');
  const at = { cwd: project, env: { HOME: home } };
  /** What a person types; it has to succeed. */
  const type = async (command: string) => {
    const ran = await shell.run(['sh', '-c', command], at);
    expect({ command, ...ran }).toMatchObject({ code: 0 });
    return ran.stdout;
  };

  await type('git init -q -b main && echo node_modules > .gitignore && git add . && git commit -qm Begin');
  await type(`npm install --loglevel=error "../${filename}"`);
  await type('npx animus init --yes --model rehearsal/script');
  writeFileSync(join(project, 'faculties/scripts/engineer.toml'), SCRIPT);
  // A script chooses by the words of the first message, which would also name the other agent's work.
  const asks = '\n[faculty.permissions]\nwrite_file = "ask"\n[faculty.awareness]\nenabled = false\n';
  appendFileSync(join(project, 'faculties/engineer.toml'), asks);
  await type('git add . && git commit -qm "Use animus"');

  const { promise: over, resolve: stop } = Promise.withResolvers<void>();
  const serving = shell.run(['node_modules/.bin/animus', 'serve'], { ...at, until: over });
  onTestFinished(async () => {
    stop();
    await serving;
  });
  await eventually('the daemon is ready', () => answers('npx animus health'), 400);
  const runs = TASKS.map((task) => type(`npx animus work submit engineer "${task}" --wait`));
  for (const approve of await eventually('both ask', approvals, 400)) await type(approve);
  const results = (await Promise.all(runs)).map((shown) => commandsOf(shown, 'bring it in', 'see it'));

  for (const [n, [apply, diff]] of results.entries()) {
    expect(await type(diff)).toContain(`agent-${n}.md`);
    const [discard] = commandsOf(await type(apply), 'clean up:');
    await type(`${discard} --yes`);
  }
  expect(await type('cat agent-0.md agent-1.md')).toBe(`${TASKS.join('\n')}\n`);
  expect((await type('git log --no-merges --format=%an:%s -2')).split('\n').toSorted()).toEqual([
    '',
    ...TASKS.map((task) => `engineer via animus:${task}: done.`).toSorted(),
  ]);
  expect(await type('git status --porcelain && git for-each-ref "--format=%(refname)"')).toBe('refs/heads/main\n');
  stop();
  expect(await serving).toMatchObject({ code: 0 });

  async function approvals(): Promise<readonly string[] | null> {
    const asked = (await type('npx animus inbox')).match(/npx animus work approve .*/g) ?? [];
    return asked.length === TASKS.length ? asked : null;
  }

  async function answers(command: string): Promise<true | null> {
    return (await shell.run(['sh', '-c', command], at)).code === 0 ? true : null;
  }
});

/** The commands that are printed after these words. */
function commandsOf<Words extends readonly string[]>(
  shown: string,
  ...words: Words
): { [Each in keyof Words]: string } {
  const found = words.map((word) => new RegExp(`^ *${word} +(npx animus .*)$`, 'm').exec(shown)?.[1]);
  expect({ shown, found }).toEqual({ shown, found: words.map(() => expect.any(String)) });
  return found as { [Each in keyof Words]: string };
}
