/** The sections of animus.toml, in the order of the docs. A part of animus may declare more and hand them to `readConfig`. */
import { table } from '../../toml/fields.ts';
import { models } from '../providers/models.ts';
import { providers } from '../providers/providers.ts';
import type { Section } from '../source/section.ts';
import { budget } from './budget.ts';
import { batch, daemon, retention } from './daemon.ts';
import { embeddings } from './embeddings.ts';
import { hooks } from './hooks.ts';
import { http } from './http.ts';
import { sandbox } from './sandbox.ts';
import { skills } from './skills.ts';
import { web } from './web.ts';

export const SECTIONS = [
  daemon,
  http,
  retention,
  hooks,
  skills,
  batch,
  web,
  sandbox,
  budget,
  embeddings,
  providers,
  models,
] as const satisfies readonly Section[];

/** The schema of a file with these sections. */
export function schemaOf(sections: readonly Section[]) {
  return table(Object.fromEntries(sections.map(({ name, schema }) => [name, schema])));
}
