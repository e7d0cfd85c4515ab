/** The commands of `animus work` about any item. */
import { cancel, retry } from './terminal/cancel-command.ts';
import { list } from './terminal/list-command.ts';
import { say } from './terminal/say-command.ts';
import { show } from './terminal/show-command.ts';
import { submit } from './terminal/submit-command.ts';
import { tail } from './terminal/tail-command.ts';

export const workCommands = [submit, list, show, tail, say, cancel, retry];
