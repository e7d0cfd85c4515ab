import type { PersonKey } from './cast.ts';
import type { Move } from './item-life.ts';
import type { Ask } from './item-waits.ts';

/** A message of a person to the work. */
export interface Steer {
  readonly from: PersonKey;
  readonly text: string;
}

/** A turn that ends by itself, one that a person decides, or what a person says in between. */
export type Chapter = Move | Ask | Steer;
