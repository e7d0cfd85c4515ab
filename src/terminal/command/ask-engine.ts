/** Asks the Docker engine about itself and about images. */
import type { Config } from '../../core/config/config.ts';
import type { EngineHealth } from '../../sandbox/container-host.ts';

/** What it says about each image; nothing is asked without one. Never rejects because of the engine. */
export async function askEngine(config: Config, images: readonly string[]): Promise<readonly EngineHealth[]> {
  if (images.length === 0) return [];
  const { createContainerHost } = await import('../../sandbox/host/create-container-host.ts');
  const { endpoint: address, runtime } = config.sandbox;
  const host = createContainerHost({ address, runtime, marks: { daemon: 'none', process: '' }, marker: null });
  try {
    return await Promise.all(images.map((image) => host.health(image)));
  } finally {
    await host.stop();
  }
}
