#!/usr/bin/env node
// A consolidate hook. Makes a skill of the answer, with all findings of the work item as its sources.
const { readFileSync } = require('node:fs');

const { work_item: work, final_text: text } = JSON.parse(readFileSync(0, 'utf8'));
const skill = {
  name: 'run-timezone-tests',
  description: 'How to run tests that depend on the time zone. Use it before running or repairing such tests.',
  keywords: ['timezone'],
  instructions: text,
  sources: work.params.entries.map(({ entry }) => ({ entry, supports: 'Set TZ=UTC for the test run' })),
  reason: `${work.params.items} work items found it out, each by itself.`,
};
process.stdout.write(JSON.stringify({ skills: [skill], summary: `wrote the skill ${skill.name}` }));
