/** `npm run seccomp`: writes the seccomp profile of the appliance from the table that the profile of containers is made from. */
import { writeFileSync } from 'node:fs';
import { applianceProfile } from '../src/sandbox/engine/seccomp-profile.ts';

const file = new URL('../docker/animus/seccomp.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(applianceProfile(), null, 2)}\n`);
