/** The one list of the secrets of animus: from which variables they are read, and which of its processes needs them. */
import type { FixedConfig } from './config.ts';
import { BUILT_IN } from './providers/provider.ts';
import { SECTIONS } from './sections/sections.ts';
import type { SecretVariable, Section } from './source/section.ts';

const OF_EVERY_PROCESS: readonly SecretVariable[] = [
  { name: 'DATABASE_URL', users: ['daemon', 'api'], purpose: 'the database' },
  { name: 'PGPASSWORD', users: ['daemon', 'api'], purpose: 'the database' },
];

/** Also where a script stands in for the provider. */
const OF_BUILT_IN: readonly SecretVariable[] = BUILT_IN.map((name) => ({
  name: `${name.toUpperCase()}_API_KEY`,
  users: ['daemon'],
  purpose: `calling the provider ${name}`,
}));

/**
 * Every secret that this configuration reads, whether it is set or not. What faculties name themselves (`env` of MCP servers, `[hooks]
 * environment`) is not in it: those are secrets of others.
 */
export function secretVariables(config: FixedConfig): readonly SecretVariable[] {
  const ofSections = SECTIONS.flatMap((section: Section) =>
    section.secrets === undefined ? [] : section.secrets(config[section.name as keyof FixedConfig]),
  );
  const ofOthers = [...config.others].flatMap(([section, value]) => section.secrets?.(value) ?? []);
  return unique([...OF_EVERY_PROCESS, ...ofSections, ...ofOthers, ...OF_BUILT_IN]);
}

/** The first of each name: its purpose is the more precise one. */
function unique(variables: readonly SecretVariable[]): readonly SecretVariable[] {
  return variables.filter(({ name }, index) => variables.findIndex((other) => other.name === name) === index);
}
