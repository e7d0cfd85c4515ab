#!/usr/bin/env -S -i PATH=${PATH} HOME=${HOME} LANG=${LANG} ANIMUS_FOCUS_DIR=${ANIMUS_FOCUS_DIR} ANIMUS_SPAWN_ID=${ANIMUS_SPAWN_ID} node
// A consolidate hook. It refuses a review with a finding about a file or line that does not exist. Otherwise it writes the
// findings to the ledger, the most severe first.
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const SEVERITIES = ['blocker', 'problem', 'remark'];

const { outcome } = JSON.parse(readFileSync(0, 'utf8'));
const repository = join(process.env.ANIMUS_FOCUS_DIR, 'repository');
const base = readFileSync(join(process.env.ANIMUS_FOCUS_DIR, 'review-base'), 'utf8');
const wrong = outcome.findings.filter(({ file, line }) => line > linesOf(file));
if (wrong.length > 0) {
  console.error(`no such place: ${wrong.map(({ file, line }) => `${file}:${line}`).join(', ')}`);
  process.exit(2);
}

const sorted = outcome.findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
const counts = SEVERITIES.map((severity) => [severity, sorted.filter((each) => each.severity === severity).length]);
const counted = counts.filter(([, count]) => count > 0).map(([severity, count]) => `${count} ${severity}(s)`);
console.log(
  JSON.stringify({
    summary: `${outcome.verdict}: ${counted.join(', ') || 'nothing found'}`,
    ledger: sorted.map(({ file, line, severity, problem }) => ({
      type: 'finding',
      content: `${file}:${line} ${severity}: ${problem}`,
    })),
  }),
);

/** Lines of the file in the change, or in the version before it if the change deletes the file; 0 if it is in neither. */
function linesOf(file) {
  for (const revision of ['HEAD', base]) {
    try {
      const args = ['cat-file', 'blob', `${revision}:${file}`];
      const text = execFileSync('git', args, {
        cwd: repository,
        // The repository is told, not looked for, and git fetches nothing: the agent may have changed what is there.
        env: { ...process.env, GIT_DIR: join(repository, '.git'), GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return text.split('\n').length;
    } catch {
      // The change may have deleted it.
    }
  }
  return 0;
}
