/** What people may do who act through a gateway. SQL holds the rules (migrations/functions/01_actors.sql, 31_people.sql). */

/** In ascending order. A submitter sees and steers its own work; a reader also sees all work; an operator also decides what operators decide. */
export const PERSON_ROLES = ['submitter', 'reader', 'operator'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** What a token can be restricted to: to look; to submit and steer work; to decide what operators decide. */
export const SCOPES = ['read', 'work', 'decide'] as const;
export type Scope = (typeof SCOPES)[number];
