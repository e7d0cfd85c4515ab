import type { Config } from '../../core/config/config.ts';
import type { LlmFailure } from '../../llm/client.ts';
import { remedyOf } from './provider-remedy.ts';

/** One line for people: which provider failed, how, and the remedy. */
export function explainFailure(failure: LlmFailure, { providers }: Pick<Config, 'providers'>): string {
  const { kind, provider: name, message } = failure;
  const provider = providers.get(name);
  const remedy = provider === undefined ? null : remedyOf(failure, provider);
  // The output of a command is read again at the next call.
  const isFixed = kind === 'credentials' && provider?.kind !== 'scripted' && !provider?.credentials;
  const restart = isFixed && remedy !== null ? ', and restart animus' : '';
  return `provider ${name}: ${message}${remedy === null ? '' : `; ${remedy}${restart}`}`;
}
