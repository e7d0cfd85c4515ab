#!/usr/bin/env node
// An orient hook. It clones params.repository into the focus directory, checks out params.head and prints the diff against
// params.base (default: the repository's default branch) for the model. Exits 2 with a reason when it cannot.
const { execFileSync } = require('node:child_process');
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** Limit of the diff; the model reads the rest from the files. */
const MAX_DIFF_CHARACTERS = 60_000;

const { params } = JSON.parse(readFileSync(0, 'utf8')).work_item;
const directory = join(process.env.ANIMUS_FOCUS_DIR, 'repository');
const base = params.base ?? 'HEAD';

requireText('repository', params.repository);
requireText('head', params.head);
requireText('base', base);
rmSync(directory, { recursive: true, force: true }); // a hook may run again
git(process.env.ANIMUS_FOCUS_DIR, 'clone', '--quiet', '--', params.repository, directory);
const from = commitOf(base);
const to = commitOf(params.head);
git(directory, 'checkout', '--quiet', '--detach', to);
// For record-findings.js: it contains the files that the change deletes.
writeFileSync(join(process.env.ANIMUS_FOCUS_DIR, 'review-base'), from);
const files = git(directory, 'diff', '--stat', `${from}...${to}`);
if (files.trim() === '') refuse(`${params.head} changes nothing against ${base}`);
const log = git(directory, 'log', '--format=%h %an: %s', `${from}..${to}`);
const diff = git(directory, 'diff', `${from}...${to}`);
const rest = diff.length - MAX_DIFF_CHARACTERS;
const cut = rest > 0 ? `\n… ${rest} more characters are not shown: read the files named above.` : '';
console.log(
  JSON.stringify({ context: `Commits:\n${log}\nFiles:\n${files}\nDiff:\n${diff.slice(0, MAX_DIFF_CHARACTERS)}${cut}` }),
);

/** A branch of the repository, a tag, or a commit. */
function commitOf(name) {
  for (const candidate of [`origin/${name}`, name]) {
    try {
      return git(directory, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${candidate}^{commit}`).trim();
    } catch {
      // It may be the other kind of name.
    }
  }
  return refuse(`${params.repository} has no branch, tag or commit named ${name}`);
}

function git(cwd, ...args) {
  // A submitter chooses the repository, so only protocols are allowed that run none of the submitter's programs.
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' };
  try {
    const options = { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] };
    return execFileSync('git', ['-c', 'core.hooksPath=/dev/null', ...args], options);
  } catch (error) {
    if (args[0] === 'rev-parse') throw error;
    return refuse(`git ${args[0]}: ${String(error.stderr ?? error.message).trim()}`);
  }
}

function requireText(name, value) {
  if (typeof value === 'string' && value !== '') return;
  refuse(`params.${name} is missing: give {"repository": path or URL, "head": branch or commit, "base": …}`);
}

function refuse(reason) {
  console.error(reason);
  process.exit(2);
}
