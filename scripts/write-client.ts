/** `npm run client`: writes src/client/api and the tables of docs/events.md anew. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { clientSources } from './client/client-source.ts';
import { withEventTables } from './client/event-tables.ts';

const sources = clientSources();
const directory = new URL('../src/client/api/', import.meta.url);
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
for (const [path, source] of Object.entries(sources)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), source);
}

const page = new URL('../docs/events.md', import.meta.url);
writeFileSync(page, withEventTables(readFileSync(page, 'utf8')));
