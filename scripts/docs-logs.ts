/** `npm run docs:logs`: rewrites the table of log messages in docs/telemetry.md. Existing phrases are kept; a new message gets an empty one, which a test refuses. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { logMessages } from './log-messages.ts';

const PAGE = fileURLToPath(new URL('../docs/telemetry.md', import.meta.url));
const HEADER = '| level | message | when |\n| --- | --- | --- |\n';

const page = readFileSync(PAGE, 'utf8');
const start = page.indexOf(HEADER);
if (start < 0) throw new Error(`${PAGE} has no table of log messages`);
const old = /^(?:\|.*\n)*/.exec(page.slice(start))?.[0] ?? '';
const phrases = new Map([...old.matchAll(/^\| \w+ \| (.*?) \| (.*) \|$/gm)].map((row) => [row[1], row[2]]));
const rows = logMessages(fileURLToPath(new URL('../src/', import.meta.url))).map(({ level, message }) => {
  const cell = message.replaceAll('|', '\\|');
  return `| ${level} | ${cell} | ${phrases.get(cell) ?? ''} |\n`;
});
writeFileSync(PAGE, page.slice(0, start) + HEADER + rows.join('') + page.slice(start + old.length));
