/** Synthetic memories: vectors in clusters and texts whose words follow their cluster. Deterministic. */

/** Of each vector. */
export const DIMENSIONS = 384;
const CLUSTERS = 1000;
const PROJECTS = 20;
/** How far vectors stand from the centre of their cluster, of length 1: the cosine of two of a cluster is about 0.6. */
const SPREAD = 0.8;

/** A source of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Synthetic {
  readonly content: string;
  readonly layer: 'project' | 'global';
  readonly project: string | null;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly vector: Float32Array;
}

export interface Source {
  memory(): Synthetic;
  /** A vector near the others of a random cluster, and a few words of it. */
  query(): { readonly vector: Float32Array; readonly text: string };
}

/** Memories of 1,000 clusters: four fifths in 20 projects, the others global; five kinds and a rare one, 50 tags. */
export function syntheticSource(seed: number): Source {
  const random = numbers(seed);
  const centreSeed = numbers(1);
  const centres = Array.from({ length: CLUSTERS }, () => unit(gaussians(centreSeed)));
  const near = (cluster: number) => {
    const noise = unit(gaussians(random));
    return unit(centres[cluster]!.map((x, at) => x + SPREAD * noise[at]!));
  };
  const pick = (count: number) => Math.floor(random() * count);
  /** A word of 5,000, the first ones most often. */
  const common = () => `w${Math.floor(5000 * random() ** 3)}`;
  const own = (cluster: number) => `c${cluster}x${pick(20)}`;
  let made = 0;
  return {
    memory() {
      const cluster = pick(CLUSTERS);
      const project = random() < 0.8 ? `project-${pick(PROJECTS)}` : null;
      const words = Array.from({ length: 25 }, (_, at) => (at % 5 === 0 ? own(cluster) : common()));
      return {
        content: `m${made++} ${words.join(' ')}`,
        layer: project === null ? 'global' : 'project',
        project,
        kind: random() < 0.06 ? 'rare' : `kind-${pick(5)}`,
        tags: [`tag-${pick(50)}`],
        vector: near(cluster),
      };
    },
    query() {
      const cluster = pick(CLUSTERS);
      return { vector: near(cluster), text: `${own(cluster)} ${own(cluster)} ${common()}` };
    },
  };
}

function gaussians(random: () => number): Float32Array {
  return Float32Array.from(
    { length: DIMENSIONS },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}
