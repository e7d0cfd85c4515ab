import { expect, test } from 'vitest';
import { projectDirectory } from '../project-directory.ts';

const GOOD =
  '[faculty]\nname = "engineer"\ndescription = "Fixes"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = "p"\n';

const { animus, write } = projectDirectory();

test('check, doctor and serve refuse the same files of providers', async () => {
  write({
    'faculties/a.toml': GOOD,
    'animus.toml': '[providers.play]\nkind = "scripted"\nscript = "play.toml"\n',
    'play.toml': 'no toml at all',
  });
  const said = 'play.toml: line 1, column 4: expected valid TOML';
  const checked = await animus('faculty', 'check');
  expect(checked).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^problem {2}.*play\.toml: line 1, column 4: expected valid TOML/m),
  });
  const examined = await animus('doctor');
  expect(examined).toMatchObject({ code: 1, stdout: expect.stringContaining(said) });
  const served = await animus('serve');
  expect(served).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  write({ 'animus.toml': '[daemon]\nhttp = "127.0.0.1:70000"\n' });
  for (const command of [['faculty', 'check'], ['doctor'], ['serve']]) {
    const { code, stdout, stderr } = await animus(...command);
    expect(stdout + stderr).toContain('a port from 0 (a free one) to 65535');
    expect(code).not.toBe(0);
  }
});
