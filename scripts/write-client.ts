/** `npm run client`: writes src/client/api anew. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { clientSources } from './client/client-source.ts';

const sources = clientSources();
const directory = new URL('../src/client/api/', import.meta.url);
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
for (const [path, source] of Object.entries(sources)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), source);
}
