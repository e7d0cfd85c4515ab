/** Promise: a faculty that comes with animus is in the project with all that it needs, and nothing of the project is overwritten unasked. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SHIPPED_FACULTIES } from '../../../src/terminal/command/shipped.ts';
import { projectDirectory } from '../project-directory.ts';

const { animus, path, write } = projectDirectory();
const SHIPPED = readdirSync(SHIPPED_FACULTIES).flatMap((name) => /^(.*)\.toml$/.exec(name)?.[1] ?? []);

test('without a name it lists what there is, and copies nothing', async () => {
  for (const argv of [
    ['faculty', 'add'],
    ['faculty', 'add', '--list', 'triage'],
  ]) {
    const { code, stdout, stderr } = await animus(...argv);
    expect([code, stderr]).toEqual([0, 'animus: copy one into faculties with: animus faculty add NAME\n']);
    for (const name of SHIPPED) expect(stdout).toMatch(new RegExp(`^${name} +\\S+`, 'm'));
  }
  expect(readdirSync(path())).toEqual([]);
  await animus('faculty', 'add', 'triage');
  const listed = JSON.parse((await animus('faculty', 'add', '--json')).stdout);
  expect(listed.faculties.find(({ name }: { name: string }) => name === 'triage')).toEqual({
    name: 'triage',
    description: 'Sorts an incoming ticket: category, urgency, who should have it',
    model: 'claude-haiku-4-5',
    added: true,
  });
});

test.each(SHIPPED)('%s is complete: check finds no problem and no remark about what is missing', async (name) => {
  expect(await animus('faculty', 'add', name)).toMatchObject({ code: 0, stderr: '' });
  const checked = await animus('faculty', 'check', '--json');
  expect(checked.code).toBe(0);
  const { problems, remarks, faculties } = JSON.parse(checked.stdout);
  expect(faculties).toContain(name);
  expect(problems).toEqual([]);
  expect(remarks.filter(({ message }: { message: string }) => /no usable/.test(message))).toEqual([]);
});

test('it says which model and key it needs, where it works, and what to do next', async () => {
  const { stdout } = await animus('faculty', 'add', 'engineer', { env: { npm_command: 'exec' } });
  expect(stdout).toContain('engineer uses claude-sonnet-4-5; to change that, edit model in engineer.toml');
  expect(stdout).toContain('set ANTHROPIC_API_KEY, or ANTHROPIC_API_KEY_FILE, where the daemon runs');
  expect(stdout).toContain(`engineer works in ${path()}; to change that, edit workspace in engineer.toml.`);
  expect(stdout.match(/^ {2}npx .*$/gm)).toEqual([
    '  npx animus faculty check engineer',
    '  npx animus serve',
    '  npx animus work submit engineer "…" --wait',
  ]);
  const withKey = await animus('faculty', 'add', 'engineer', { env: { ANTHROPIC_API_KEY: 'k' } });
  expect(withKey.stdout).not.toContain('needs a key');
  expect(statSync(path('faculties/hooks/verify-change.js')).mode & 0o777).toBe(0o755);
});

test('what it spawns and the skills that it names come with it, and stay as they are where they are there', async () => {
  write({ 'faculties/reader.toml': '# mine\n', 'skills/research-report/SKILL.md': 'mine\n' });
  await animus('faculty', 'add', 'researcher');
  expect(readFileSync(path('faculties/reader.toml'), 'utf8')).toBe('# mine\n');
  expect(readFileSync(path('skills/research-report/SKILL.md'), 'utf8')).toBe('mine\n');
  const other = JSON.parse(
    (await animus('faculty', 'add', 'researcher', '--faculties', 'agents/all', '--json')).stdout,
  );
  expect(other).toMatchObject({ directory: path('agents/all'), faculties: ['researcher', 'reader'] });
  expect(other.skills).toEqual([{ name: 'research-report', directory: path('agents/skills/research-report') }]);
  expect(other.next[1]).toMatch(
    /^animus faculty test researcher agents\/all\/scripts\/researcher\.toml --workspace agents\/all\/library .* --faculties agents\/all$/,
  );
});

describe('a file that is there and differs', () => {
  test('is not overwritten, and nothing else is written', async () => {
    write({ 'faculties/prompts/triage.md': 'mine\n' });
    const { code, stderr } = await animus('faculty', 'add', 'triage', 'scribe');
    expect(code).toBe(5);
    expect(stderr).toBe(
      `animus: nothing was written: ${path('faculties/prompts/triage.md')} exists and differs; --force replaces it\n`,
    );
    expect(readdirSync(path('faculties'))).toEqual(['prompts']);
  });

  test('is replaced with --force; one that is the same stays', async () => {
    await animus('faculty', 'add', 'triage');
    writeFileSync(path('faculties/prompts/triage.md'), 'mine\n');
    const { files } = JSON.parse((await animus('faculty', 'add', 'triage', '--force', '--json')).stdout);
    expect(files).toContainEqual({ path: 'prompts/triage.md', result: 'replaced' });
    expect(files).toContainEqual({ path: 'triage.toml', result: 'unchanged' });
    expect(readFileSync(path('faculties/prompts/triage.md'), 'utf8')).not.toBe('mine\n');
  });
});

test('a name that does not come with animus is not found, with the nearest', async () => {
  expect(await animus('faculty', 'add', 'engneer')).toMatchObject({
    code: 3,
    stderr: 'animus: no faculty named engneer (did you mean engineer?)\n',
  });
});

test('where the faculties of animus are, nothing can be added', async () => {
  const { code, stderr } = await animus('faculty', 'add', 'triage', '--faculties', SHIPPED_FACULTIES);
  expect([code, stderr]).toEqual([2, expect.stringContaining('contains the faculties of animus itself')]);
});

test('completion knows the names', async () => {
  const { stdout } = await animus('completion', 'words', '--', 'faculty', 'add', 're');
  expect(stdout.trim().split('\n')).toEqual(['reader', 'reporter', 'researcher', 'reviewer']);
});
