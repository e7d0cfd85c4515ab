import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { docker, missingDocker } from './appliance.ts';

const missing = missingDocker();

describe.skipIf(missing !== null)('the build context of the engine', () => {
  it('contains only sources: no packages, no repository, no secrets', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'animus-context-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'Dockerfile'), 'FROM scratch\nCOPY . /\n');
    const to = join(directory, 'context');
    await docker(['build', '--quiet', '--file', join(directory, 'Dockerfile'), '--output', to, '.'], {
      ...process.env,
      DOCKER_BUILDKIT: '1',
    });
    const found = readdirSync(to).toSorted();
    expect(found).toEqual([
      '.npmrc',
      'docker',
      'migrations',
      'package-lock.json',
      'package.json',
      'scripts',
      'src',
      'tsconfig.json',
    ]);
    expect(readdirSync(join(to, 'docker')).toSorted()).toEqual(['animus', 'postgres']);
    expect(readdirSync(join(to, 'scripts'))).toEqual(['build-console.ts']);
  }, 120_000);
});
