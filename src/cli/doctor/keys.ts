/** Checks whether the faculties' models have their keys, without any network call. */
import type { Faculties } from '../../catalog/faculties.ts';
import type { Config } from '../../core/config/config.ts';
import { facultyModels } from '../../daemon/models/faculty-models.ts';
import { type Finding, fine, note } from './finding.ts';

/** One finding for each provider that a faculty asks. */
export function examineKeys({ faculties }: Pick<Faculties, 'faculties'>, config: Config): readonly Finding[] {
  const users = new Map<string, Set<string>>();
  for (const faculty of faculties.values()) {
    for (const { provider } of facultyModels(faculty, config)) {
      users.set(provider, (users.get(provider) ?? new Set()).add(faculty.name));
    }
  }
  return [...users].flatMap(([name, of]) => {
    const settings = config.providers.get(name);
    const check = `key of ${name}`;
    if (settings === undefined || settings.kind === 'scripted') return [];
    if (settings.apiKeyEnv === null) return [fine(check, 'no key needed')];
    if (settings.apiKey !== null) return [fine(check, `set; try it: animus doctor --provider ${name}`)];
    const detail = `${settings.apiKeyEnv} is not set, but these faculties use models of ${name}: ${[...of].join(', ')}`;
    return [note(check, detail, `set ${settings.apiKeyEnv}, or ${settings.apiKeyEnv}_FILE, where the daemon runs`)];
  });
}
