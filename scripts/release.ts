/**
 * `npm run release`: checks what a release needs and prints the last step, which a person takes. It publishes nothing and
 * changes nothing but dist/. `--tests` runs the whole test suite as well.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ReleaseFacts, releaseProblems } from './release-problems.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

release();

function release(): void {
  const { values } = parseArgs({ options: { tests: { type: 'boolean', default: false } } });
  const facts = gatherFacts();
  const problems = releaseProblems(facts);
  if (problems.length > 0) {
    for (const problem of problems) process.stderr.write(`release: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  npm('run', 'check');
  if (values.tests) {
    npm('test');
    npm('run', 'test:e2e');
  }
  // Builds, checks what is packed, and runs the tarball on each version of Node.
  npm('run', 'test:package');
  process.stdout.write(lastStep(facts.version, values.tests));
}

function gatherFacts(): ReleaseFacts {
  const manifest = json('package.json') as { version: string; private?: boolean };
  const lock = json('package-lock.json') as { version: string; packages: Record<string, { version: string }> };
  return {
    version: manifest.version,
    isPrivate: manifest.private === true,
    lockVersions: [lock.version, lock.packages['']?.version ?? 'none'],
    changelog: read('CHANGELOG.md'),
    changedFiles: lines(git('status', '--porcelain')),
    tags: lines(git('tag', '--list', 'v*')),
  };
}

function lastStep(version: string, tested: boolean): string {
  const tests = tested ? '' : 'The test suite was not run; add --tests, or check the CI result of this commit.\n';
  return `
Version ${version} is ready. ${tests}To release it, run:

  git tag -a v${version} -m ${version} && git push origin v${version}
  npm publish
`;
}

/** Output goes to the terminal; a command that fails ends the release. */
function npm(...args: string[]): void {
  process.stdout.write(`\n=== npm ${args.join(' ')}\n`);
  execFileSync('npm', args, { cwd: ROOT, stdio: 'inherit' });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function json(file: string): unknown {
  return JSON.parse(read(file));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
