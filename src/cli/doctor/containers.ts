/** Checks the Docker engine, if faculties need containers. */
import { containerImages } from '../../catalog/container-images.ts';
import type { Faculties } from '../../catalog/faculties.ts';
import type { Config } from '../../core/config/config.ts';
import { askEngine } from '../command/ask-engine.ts';
import { type Finding, fine, note, problem } from './finding.ts';

/** One finding per image that a faculty needs, and one for what weakens containers. */
export async function examineContainers(
  { faculties }: Pick<Faculties, 'faculties'>,
  config: Config,
): Promise<readonly Finding[]> {
  const images = containerImages(faculties.values(), config.sandbox.image);
  const asked = await askEngine(config, [...images.keys()]);
  const findings = asked.map((health) => {
    const names = (images.get(health.image.name) ?? []).join(', ');
    if (health.problem !== null) return problem('sandbox', `needed by ${names}: ${health.problem}`);
    return fine('sandbox', `engine ${health.engine?.version} at ${health.where} has ${health.image.name} (${names})`);
  });
  const remarks = new Set(asked.flatMap((health) => health.remarks));
  return [...findings, ...[...remarks].map((remark) => note('sandbox', remark, 'see docs/security.md'))];
}
