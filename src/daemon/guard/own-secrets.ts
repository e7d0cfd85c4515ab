import type { FixedConfig } from '../../core/config/config.ts';
import { secretNames } from './secret-files.ts';

/** Tells the variables that contain animus's own secrets, or name files with them, and all that begin with ANIMUS_. */
export function ownSecrets(config: FixedConfig): (name: string) => boolean {
  const secrets = new Set(secretNames(config).flatMap((name) => [name, `${name}_FILE`]));
  return (name) => secrets.has(name) || name.startsWith('ANIMUS_');
}
