/** `npm run client`: writes the generated files of src/client. */
import { writeFileSync } from 'node:fs';
import { clientSources } from './client/client-source.ts';

for (const [path, source] of Object.entries(clientSources())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), source);
}
