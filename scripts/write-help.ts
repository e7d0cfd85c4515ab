/** `npm run help`: writes src/help.json, from which the launcher answers `--help`. */
import { writeFileSync } from 'node:fs';
import { HELP_FILE, helpTexts } from './help-texts.ts';

writeFileSync(HELP_FILE, await helpTexts());
