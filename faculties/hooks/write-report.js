#!/usr/bin/env node
// A consolidate hook. It writes the final answer to DIRECTORY/DATE-ID.md (DIRECTORY is the first argument, relative to this
// hook). The file is named after the work item, so a hook that runs again writes the same file.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const { work_item: work, final_text: text } = JSON.parse(readFileSync(0, 'utf8'));
const title = /^# (.+)$/m.exec(text)?.[1];
if (title === undefined || !text.startsWith('# ')) {
  console.error('the answer is not a report: it does not begin with a title (# …)');
  process.exit(2);
}

const directory = resolve(__dirname, process.argv[2] ?? '.');
const file = join(directory, `${work.created_at.slice(0, 10)}-${work.id.slice(-12)}.md`);
mkdirSync(directory, { recursive: true });
writeFileSync(`${file}.part`, `${text.trimEnd()}\n`);
renameSync(`${file}.part`, file); // whole or not at all, for those who read along
console.log(JSON.stringify({ outcome: { title, file, characters: text.length }, summary: `${title} (${file})` }));
