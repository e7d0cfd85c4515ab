/** The pgmq queues of animus, in the order in which messages pass them. */
export const QUEUES = { work: 'work', inbox: 'inbox', inboxDead: 'inbox_dead' } as const;
