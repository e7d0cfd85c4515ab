/** `[hooks]`: the hooks that every faculty has, and what hooks get. */
import { join } from 'node:path';
import { text, variableNames } from '../../toml/fields.ts';
import { key } from '../../toml/keys.ts';
import { resolvePath, section } from '../source/section.ts';

/** The hooks directory in ANIMUS_HOME when animus.toml names none. It need not exist. */
export const HOOKS_DIRECTORY = 'hooks.d';

export const hooks = section(
  'hooks',
  // biome-ignore format: a key per line
  {
    directory: key(text('the path of a directory').optional(), 'the [hooks of every faculty](hooks.md#hooks-in-the-loop), relative to this file; none: `hooks.d` in ANIMUS_HOME, if it exists'),
    environment: key(variableNames().default([]), "variables of the daemon's environment that [hooks](hooks.md#what-a-hook-runs-in) get in addition to PATH, HOME and LANG; `AWS_*` means all variables with this prefix"),
  },
  {
    read: ({ directory, environment }, place) => ({
      directory: directory === null ? join(place.home, HOOKS_DIRECTORY) : resolvePath(place, directory),
      environment,
    }),
  },
);
