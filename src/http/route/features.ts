/** The parts whose operations the API offers. */
import { loadFeatures } from '../../features/features.ts';

export const FEATURES = await loadFeatures();
