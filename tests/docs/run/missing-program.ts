import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { missingDocker } from '../../docker/appliance.ts';

/** Why a block that needs this program cannot run here; null if it can. Throws for `docker` if `ANIMUS_REQUIRE_DOCKER` is set. */
export function missingProgram(name: string): string | null {
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
