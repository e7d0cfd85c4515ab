/** `npm run docs:keys`: writes the tables of keys in docs/config.md and docs/faculties.md. */
import { writeFileSync } from 'node:fs';
import { pagesWithKeys } from './written-keys.ts';

for (const [path, text] of await pagesWithKeys()) writeFileSync(path, text);
