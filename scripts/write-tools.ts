/** `npm run tools`: writes src/tools/known-tools.json, by which the files of faculties are checked. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describeTools } from '../src/tools/registry.ts';

const FILE = 'src/tools/known-tools.json';
writeFileSync(new URL(`../${FILE}`, import.meta.url), JSON.stringify(describeTools()));
execFileSync('npx', ['biome', 'format', '--write', FILE], { stdio: 'inherit' });
