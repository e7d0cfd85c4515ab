/** The parts whose acts the API offers, and these acts. */
import { loadFeatures } from '../../features/features.ts';

export const FEATURES = await loadFeatures();
export const OPERATIONS = (
  await Promise.all(FEATURES.map(async ({ operations }) => (await operations?.(FEATURES)) ?? []))
).flat();
export const READINGS = (await Promise.all(FEATURES.map(async ({ readings }) => (await readings?.()) ?? []))).flat();
