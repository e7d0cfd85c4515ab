import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { missingDocker } from '../../docker/appliance.ts';

const asked = new Map<string, string | null>();

/** Why a block that needs these programs, separated by commas, cannot run here; null if it can. Throws for `docker` if `ANIMUS_REQUIRE_DOCKER` is set. */
export function missingProgram(names = ''): string | null {
  const missing = names.split(',').flatMap((name) => (name === '' ? [] : (whyMissingHere(name) ?? [])));
  return missing[0] ?? null;
}

/** Asked once: asking the engine takes this process a second, in which the other pages stand still. */
function whyMissingHere(name: string): string | null {
  if (!asked.has(name)) asked.set(name, whyMissing(name));
  return asked.get(name)!;
}

function whyMissing(name: string): string | null {
  if (name === 'docker') return missingDocker();
  const isHere = (process.env['PATH'] ?? '').split(delimiter).some((directory) => isExecutable(join(directory, name)));
  return isHere ? null : `no ${name} here`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
