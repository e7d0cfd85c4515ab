/** Checks a provider with one cheap call, which proves address, key and model. */
import { type Faculty, modelChain } from '../../../catalog/faculty/faculty.ts';
import type { Config } from '../../../core/config/config.ts';
import type { ProviderConfig } from '../../../core/config/providers/provider.ts';
import { interruption } from '../../../core/errors/interruption.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import { within } from '../../../core/lifecycle/within.ts';
import { modelNames } from '../../../daemon/models/model-names.ts';
import { remedyOf } from '../../../daemon/models/provider-remedy.ts';
import type { LlmFailure } from '../../../llm/client.ts';
import { splitModelName } from '../../../llm/locate-model.ts';
import { listModels } from '../../../llm/models/list-models.ts';
import { createProcessHost } from '../../../process/host/supervised-host.ts';
import { type Finding, findingsOf, fine, note, problem } from '../../../terminal/view/finding.ts';
import { duration } from '../../../terminal/view/quantities.ts';

const PROBE_MS = 30_000;
const MISSING = { kind: 'model_not_found' } as const;

/** A provider to ask, and the model to ask for; null: none is known. */
export interface ProviderQuestion {
  readonly provider: ProviderConfig;
  readonly model: string | null;
}

/**
 * From `NAME` or `NAME/MODEL`; without a model, the first of its models that a faculty uses, else the first in the
 * catalogue. Of a name that no provider has, what doctor finds.
 */
export function providerQuestion(
  asked: string,
  config: Config,
  faculties: Iterable<Faculty>,
): ProviderQuestion | Finding {
  const slash = asked.indexOf('/');
  const name = slash === -1 ? asked : asked.slice(0, slash);
  const provider = config.providers.get(name);
  if (!provider) {
    const known = [...config.providers.keys()];
    const hint = didYouMean(name, known) || ` (known: ${known.join(', ')})`;
    const remedy = 'use one of these, or add [providers.NAME] to animus.toml';
    return problem(`provider ${name}`, `no provider named ${name}${hint}`, remedy);
  }
  return { provider, model: slash === -1 ? modelOf(name, config, faculties) : asked.slice(slash + 1) };
}

function modelOf(provider: string, config: Config, faculties: Iterable<Faculty>): string | null {
  const names = modelNames(config);
  const used = [...faculties].flatMap(({ engage }) => modelChain(engage)).map((model) => splitModelName(model, names));
  return [...used, ...listModels(names.models)].find((each) => each.provider === provider)?.model ?? null;
}

/** Makes the call, if there is something to ask. Errors: `interrupted`. */
export async function examineProvider(
  question: ProviderQuestion | Finding,
  config: Config,
  interrupted: AbortSignal,
): Promise<readonly Finding[]> {
  if ('check' in question) return [question];
  const { provider, model } = question;
  const check = `provider ${provider.name}`;
  if (model === null) {
    return [problem(check, 'no model is known for it', `name one: --provider ${provider.name}/MODEL`)];
  }
  return findingsOf(check, async () => {
    const { createConfiguredLlm } = await import('../../../daemon/models/configured-llm.ts');
    const processes = createProcessHost();
    // The scripts of other providers are not read.
    const llm = createConfiguredLlm({ ...config, providers: new Map([[provider.name, provider]]) }, processes);
    try {
      const signal = within(PROBE_MS, interrupted);
      const found = await llm.probe(`${provider.name}/${model}`, signal);
      if (interrupted.aborted) throw interruption();
      if (!found.ok) return [problem(check, sayFailure(found.failure), remedyOf(found.failure, provider))];
      if (found.listed === false)
        return [note(check, `it answers, but does not list ${model}`, remedyOf(MISSING, provider))];
      const answered =
        provider.kind === 'scripted' ? 'the script can be read' : `answered in ${duration(found.durationMs)}`;
      return [fine(check, `${answered} (${model})`)];
    } finally {
      await llm.stop();
      await processes.stop();
    }
  });
}

/** What is at fault: where to look first. */
const AT_FAULT: Readonly<Record<LlmFailure['kind'], string>> = {
  credentials: 'login',
  quota: 'login',
  connection: 'address',
  timeout: 'network',
  aborted: 'network',
  model_not_found: 'model',
  rate_limit: 'provider',
  overloaded: 'provider',
  protocol: 'provider',
  invalid_request: 'request',
  context_overflow: 'request',
  content_filter: 'request',
};

function sayFailure({ kind, httpStatus, message }: LlmFailure): string {
  const said = kind === 'aborted' ? `no answer within ${duration(PROBE_MS)}` : `${kind}: ${message}`;
  const where = kind === 'connection' && httpStatus === null ? 'network' : AT_FAULT[kind];
  return `${where} at fault: ${said}`;
}
