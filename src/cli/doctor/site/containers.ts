/** Checks the Docker engine, if faculties need containers. */

import type { Faculties } from '../../../catalog/faculties.ts';
import { containerImages } from '../../../catalog/faculty/container-images.ts';
import type { Config } from '../../../core/config/config.ts';
import { askEngine } from '../../../terminal/command/ask-engine.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';

/** One finding per image that a faculty needs (one for all if the engine does not answer), and one for what weakens containers. */
export async function examineContainers(
  { faculties }: Pick<Faculties, 'faculties'>,
  config: Config,
): Promise<readonly Finding[]> {
  const images = containerImages(faculties.values(), config.sandbox.image);
  const asked = await askEngine(config, [...images.keys()]);
  const needing = new Map<string, string[]>();
  for (const { problem: found, image } of asked)
    if (found !== null) needing.set(found, [...(needing.get(found) ?? []), ...(images.get(image.name) ?? [])]);
  const there = asked.filter((health) => health.problem === null);
  const remarks = new Set(asked.flatMap((health) => health.remarks));
  return [
    ...there.map(({ engine, where, image: { name } }) =>
      fine('sandbox', `engine ${engine?.version} at ${where} has ${name} (${(images.get(name) ?? []).join(', ')})`),
    ),
    ...[...needing].map(([found, names]) =>
      problem('sandbox', `needed by ${[...new Set(names)].join(', ')}: ${found}`),
    ),
    ...[...remarks].map((remark) => note('sandbox', remark, 'see docs/security.md')),
  ];
}
