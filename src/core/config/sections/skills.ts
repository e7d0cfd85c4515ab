/** `[skills]`: where skills are, and when findings become new ones. */
import { count, flag, seconds, textsMatching } from '../../toml/fields.ts';
import { key, liveKey } from '../../toml/keys.ts';
import { resolvePath, section, type ValueOf } from '../source/section.ts';

export type SkillsConfig = ValueOf<typeof skills>;

const directories = () =>
  textsMatching(/^(?=.*\S)[^\0]{1,4096}$/, 'the path of a directory', 'a list of directories', 50);

export const skills = section(
  'skills',
  // biome-ignore format: a key per line
  {
    stale_days: key(count(1, 3650).default(30), 'a skill that no work has used for this many days is shown as stale by `animus status` and `animus skill list --stale`'),
    directories: key(directories().default([]), 'directories with [skills](skills.md), searched after those of `serve --skills`, relative to this file; the earlier directory wins when two have a skill of the same name'),
    propose: liveKey(flag().default(true), 'whether [findings that recur](skills.md#how-skills-arise) become work for the faculty `scribe`, where a daemon has it'),
    propose_threshold: liveKey(count(2, 1000).default(3), 'how many items must have found the same thing'),
    propose_window_days: liveKey(count(1, 365).default(30), 'how old such a finding may be'),
    propose_interval_seconds: liveKey(seconds(1, 86_400).default(600), 'how often they are looked for, by one daemon at a time'),
  },
  {
    read: (settings, place) => ({
      ...settings,
      directories: Object.freeze(settings.directories.map((each) => resolvePath(place, each))),
    }),
  },
);
