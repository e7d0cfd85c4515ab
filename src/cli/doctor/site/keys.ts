/** Checks whether the faculties' models have their keys, without any network call. */
import type { Faculties } from '../../../catalog/faculties.ts';
import type { Config } from '../../../core/config/config.ts';
import { facultyModels } from '../../../daemon/models/faculty-models.ts';
import { remedyOf } from '../../../daemon/models/provider-remedy.ts';
import { type Finding, fine, note } from '../../../terminal/view/finding.ts';

/** One finding for each provider that a faculty asks, and one for the search endpoint. */
export function examineKeys({ faculties }: Pick<Faculties, 'faculties'>, config: Config): readonly Finding[] {
  const users = new Map<string, Set<string>>();
  for (const faculty of faculties.values()) {
    for (const { provider } of facultyModels(faculty, config)) {
      users.set(provider, (users.get(provider) ?? new Set()).add(faculty.name));
    }
  }
  const search = examineSearch(faculties, config);
  return [...users]
    .flatMap(([name, of]): readonly Finding[] => {
      const settings = config.providers.get(name);
      const check = `key of ${name}`;
      if (settings === undefined || settings.kind === 'scripted') return [];
      const unset = Object.entries(settings.secretHeaders).flatMap(([header, value]) => (value === null ? header : []));
      if (unset.length > 0)
        return [note(check, `no value for the headers ${unset.join(', ')}`, 'set the variables of header_env')];
      if (settings.credentials !== null)
        return [fine(check, `printed by ${settings.credentials.command[0]}; ${tryIt(name)}`)];
      if (settings.awsKeys !== null) return [fine(check, `AWS access keys; ${tryIt(name)}`)];
      if (settings.apiKeyEnv === null && (settings.kind === 'bedrock' || settings.kind === 'vertex'))
        return [note(check, `${name} needs a login`, remedyOf({ kind: 'credentials' }, settings))];
      if (settings.apiKeyEnv === null) return [fine(check, 'no key needed')];
      if (settings.apiKey !== null) return [fine(check, `set; ${tryIt(name)}`)];
      const detail = `${settings.apiKeyEnv} is not set, but these faculties use models of ${name}: ${[...of].join(', ')}`;
      return [note(check, detail, `set ${settings.apiKeyEnv}, or ${settings.apiKeyEnv}_FILE, where the daemon runs`)];
    })
    .concat(search);
}

function examineSearch(faculties: Faculties['faculties'], { web }: Config): readonly Finding[] {
  const { search } = web;
  const of = [...faculties.values()].filter(({ engage }) => engage.tools.includes('web_search'));
  if (search === null || of.length === 0) return [];
  const { kind, url, apiKey, apiKeyEnv } = search;
  if (apiKeyEnv === null || apiKey !== null) return [fine('web search', `${kind} at ${url}; no search was made`)];
  const names = of.map(({ name }) => name).join(', ');
  const remedy = `set ${apiKeyEnv}, or ${apiKeyEnv}_FILE, where the daemon runs`;
  return [note('web search', `${apiKeyEnv} is not set, but these faculties search with ${kind}: ${names}`, remedy)];
}

function tryIt(provider: string): string {
  return `try it: animus doctor --provider ${provider}`;
}
