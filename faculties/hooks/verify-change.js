#!/usr/bin/env -S -i PATH=${PATH} HOME=${HOME} LANG=${LANG} ANIMUS_FOCUS_DIR=${ANIMUS_FOCUS_DIR} ANIMUS_SPAWN_ID=${ANIMUS_SPAWN_ID} node
// A consolidate hook. It lists the files that changed since the focus began and runs the workspace's own tests.
// The work item may name the files it expects to change: params {"expect_changed": ["src/a.js"]}.
// Exit code 2 refuses the result; stderr gives the reason.
//
// The first line drops the rest of the environment, with the secrets of [hooks], for this process too: the tests of the workspace
// are the agent's, and could read the environment of the process that started them.
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { hashFiles, readText } = require('./workspace-files.js');

const { work_item: work, faculty, final_text: text } = JSON.parse(readFileSync(0, 'utf8'));
const changed = changedFiles();
refuseUnexpected(work.params.expect_changed, changed);
const tests = runTests();
console.log(
  JSON.stringify({
    outcome: { text, changed_files: changed, tests },
    ledger: [{ type: 'note', content: `verified: ${changed.join(', ') || 'no file'} changed; tests: ${tests}` }],
  }),
);

function changedFiles() {
  const file = join(process.env.ANIMUS_FOCUS_DIR, 'files-before.json');
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const after = hashFiles(faculty.workspace);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}

function refuseUnexpected(expected, changed) {
  if (!Array.isArray(expected)) return;
  const unexpected = changed.filter((name) => !expected.includes(name));
  if (unexpected.length > 0) refuse(`files changed that the work item does not name: ${unexpected.join(', ')}`);
  const missing = expected.filter((name) => !changed.includes(name));
  if (missing.length > 0) refuse(`expected to change, and unchanged: ${missing.join(', ')}`);
}

function runTests() {
  const manifest = readText(join(faculty.workspace, 'package.json'));
  if (manifest === null || !JSON.parse(manifest).scripts?.test) return 'none found';
  const { PATH, LANG, ANIMUS_FOCUS_DIR, ANIMUS_SPAWN_ID } = process.env;
  const env = { PATH, LANG, HOME: ANIMUS_FOCUS_DIR, ANIMUS_SPAWN_ID };
  try {
    execFileSync('npm', ['test', '--silent'], { cwd: faculty.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] });
    return 'npm test passed';
  } catch (error) {
    return refuse(
      `npm test fails:\n${String(error.stdout ?? '').slice(-1500)}${String(error.stderr ?? '').slice(-500)}`,
    );
  }
}

function refuse(reason) {
  console.error(reason);
  process.exit(2);
}
