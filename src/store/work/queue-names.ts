/** The pgmq queues of animus, in the order in which messages pass them. */
export const QUEUES = { work: 'animus_work', inbox: 'animus_inbox', inboxDead: 'animus_inbox_dead' } as const;
