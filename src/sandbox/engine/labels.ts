/** The labels of our containers, by which leftovers are found. */

/** On every container. Its value is the version of these labels. */
export const SANDBOX_LABEL = 'animus.sandbox';
export const DAEMON_LABEL = 'animus.daemon';
export const PROCESS_LABEL = 'animus.process';
export const KEEPER_LABEL = 'animus.keeper';
export const OWNER_LABEL = 'animus.owner';
