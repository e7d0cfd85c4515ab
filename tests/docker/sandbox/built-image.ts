/** The image of the sandbox for tests. Every test file that asks gets the same one; the engine's cache makes all builds but the first quick. */
import { DEFAULT_ENGINE, parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { buildImage } from '../../../src/sandbox/engine/build-image.ts';
import { openEngine } from '../../../src/sandbox/engine/open-engine.ts';

const IMAGE = 'animus-sandbox:test';

let built: Promise<string> | undefined;

/** Builds it on the engine of this machine; resolves with its name. */
export async function builtImage(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const engine = openEngine(parseEngineAddress(DEFAULT_ENGINE)!);
  const signal = AbortSignal.timeout(300_000);
  await buildImage(engine, { image: IMAGE, pull: false, fresh: false, signal, onProgress: () => undefined });
  return IMAGE;
}
