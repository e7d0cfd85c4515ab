/** Checks what turns memories into vectors: pgvector, the model's provider, and whether the vectors of the database are its own. */
import type { Config } from '../../core/config/config.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { within } from '../../core/lifecycle/within.ts';
import { remedyOf } from '../../daemon/models/provider-remedy.ts';
import { needsKey } from '../../daemon/presence/missing-keys.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { type Finding, findingsOf, fine, note, problem } from '../../terminal/view/finding.ts';
import { duration } from '../../terminal/view/quantities.ts';
import type { Examined } from '../feature.ts';
import { type Embeddings, readEmbeddings } from './embedding-status.ts';

const CHECK = 'memory';
const PROBE_MS = 30_000;
const NO_PGVECTOR = 'install pgvector on the server, then run: animus db migrate';

/** Nothing without [embeddings]. Makes one cheap call if the provider is `asked`. Errors: `interrupted`. */
export async function examineEmbeddings({ invocation, config, asked }: Examined): Promise<readonly Finding[]> {
  const { embeddings } = config;
  if (embeddings === null) return [];
  const provider = config.providers.get(embeddings.provider)!;
  if (needsKey(provider)) {
    return [
      problem(
        CHECK,
        `provider ${provider.name} of [embeddings] has no key`,
        remedyOf({ kind: 'credentials' }, provider),
      ),
    ];
  }
  return findingsOf(CHECK, async () => [
    examineStored(await withDatabase(invocation, readEmbeddings), config),
    ...(asked.has(provider.name) ? [await askModel(config, invocation.context.signals.drain)] : []),
  ]);
}

function examineStored({ vector, reason, current }: Embeddings, { embeddings }: Config): Finding {
  const { provider, model, dimensions } = embeddings!;
  const name = `${provider}/${model}`;
  if (!vector) return note(CHECK, `searched by words alone: ${reason ?? 'the database has no pgvector'}`, NO_PGVECTOR);
  if (current === null) return fine(CHECK, `${name} with ${dimensions} dimensions; no daemon has run with it yet`);
  if (current.model !== name || current.dimensions !== dimensions) {
    return note(
      CHECK,
      `memories have embeddings of ${current.model} with ${current.dimensions} dimensions, and animus.toml names ${name} with ${dimensions}`,
      'start the daemons with this animus.toml, and memories get new embeddings (which costs what the provider charges); or name the earlier model',
    );
  }
  if (current.problem !== null) return problem(CHECK, `the last attempt to make embeddings failed: ${current.problem}`);
  return fine(CHECK, `searched by words and by meaning (${name}, ${dimensions} dimensions)`);
}

async function askModel(config: Config, interrupted: AbortSignal): Promise<Finding> {
  const check = `embeddings of ${config.embeddings!.provider}`;
  const { openEmbeddings } = await import('../../daemon/embeddings/open-embeddings.ts');
  await using opened = await openEmbeddings(config, config.embeddings!);
  const startedMs = performance.now();
  const signal = within(PROBE_MS, interrupted);
  const result = await opened.embedder.embed(['ok'], signal);
  if (interrupted.aborted) throw interruption();
  if (!result.ok) return problem(check, opened.explain(result.failure));
  return fine(check, `answered in ${duration(performance.now() - startedMs)} (${opened.embedder.model})`);
}
