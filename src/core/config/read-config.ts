/** Merges the configuration: environment first, then animus.toml, then defaults. Pure: returns a frozen Config or all problems. */
import { isAnimusError } from '../errors/errors.ts';
import type { Problem } from '../errors/problem.ts';
import { DEFAULT_HTTP } from '../lifecycle/health.ts';
import { readStrictToml } from '../toml/strict-toml.ts';
import type { Config, Sections } from './config.ts';
import { originsOf } from './origins.ts';
import { checkModels } from './providers/models.ts';
import { configError, databaseUrlOf, homeOf, pgmqSchemaOf, placesOf, type Reach } from './reach.ts';
import { listenAt } from './sections/daemon.ts';
import { checkEmbeddings } from './sections/embeddings.ts';
import { SECTIONS, schemaOf } from './sections/sections.ts';
import { type ConfigSources, environmentReader, LOG_LEVELS } from './source/environment.ts';
import type { Section, SectionPlace } from './source/section.ts';

/**
 * Merges the configuration. Throws an AnimusError `config.*` that names every problem at once. `others`: the sections that parts of animus
 * declare.
 */
export function readConfig(sources: ConfigSources, others: readonly Section[] = []): Config {
  const env = environmentReader(sources.env, sources.readSecretFile);
  const schema = schemaOf([...SECTIONS, ...others]);
  const document = readToml(sources, schema);
  const problems: Problem[] = [];
  const home = homeOf(env, sources, problems);
  const databaseUrl = databaseUrlOf(env, problems);
  const pgmqSchema = pgmqSchemaOf(env, problems);
  const logLevel = env.oneOf('LOG_LEVEL', LOG_LEVELS) ?? 'info';
  const place: SectionPlace = { document, env, sources, home, embedded: databaseUrl === null, problems };
  // The environment is also checked when the file cannot be read.
  const written = document.sound ?? schema.parse({});
  const valueOf = (section: Section) => section.read(written[section.name], place);
  const values = new Map<Section, unknown>([...SECTIONS, ...others].map((section) => [section, valueOf(section)]));
  const sections = Object.fromEntries(
    SECTIONS.map((section) => [section.name, values.get(section)]),
  ) as unknown as Sections;
  checkEmbeddings(sections.embeddings, sections.providers, place);
  checkModels(sections.models, sections.providers, place);
  const all = [...env.problems, ...document.problems, ...problems];
  if (all.length > 0) throw configError(all);
  return Object.freeze({
    file: sources.toml?.path ?? null,
    home,
    databaseUrl,
    pgmqSchema,
    logLevel,
    ...sections,
    others: new Map(others.map((section) => [section, values.get(section)])),
    defaultProvider: 'anthropic',
    origins: originsOf(values, place),
  });
}

/**
 * The reach where there is an animus.toml. Throws an AnimusError `config.*` only for a wrong environment, which names the home directory and the
 * database.
 */
export function fileReach(sources: ConfigSources, others: readonly Section[] = []): Reach {
  try {
    const { home, databaseUrl, pgmqSchema, daemon } = readConfig(sources, others);
    return { home, databaseUrl, pgmqSchema, http: daemon.http, problem: null };
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    const env = environmentReader(sources.env, sources.readSecretFile);
    return { ...placesOf(env, sources), http: httpOf(sources), problem: error };
  }
}

function httpOf(sources: ConfigSources): Reach['http'] {
  const document = readToml(sources, schemaOf(SECTIONS));
  const written = document.written('daemon', 'http');
  const given = document.given('daemon', 'http');
  if (written !== undefined && given === undefined) return undefined;
  return listenAt(typeof given === 'string' ? given : DEFAULT_HTTP, given !== undefined);
}

function readToml({ toml }: ConfigSources, schema: ReturnType<typeof schemaOf>) {
  return readStrictToml(toml?.path ?? 'animus.toml', toml?.text ?? '', schema);
}
