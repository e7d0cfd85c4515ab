#!/usr/bin/env node
// A recover hook. It retries errors that may pass, with an exponential delay, and gives up on all others.
const { stdin, stdout } = process;
let text = '';
stdin.setEncoding('utf8');
stdin.on('data', (part) => {
  text += part;
});
stdin.on('end', () => {
  const { error, attempt } = JSON.parse(text);
  const passing = error.retryable === true && attempt < 5;
  const answer = passing ? { action: 'retry', delay_seconds: 30 * 2 ** attempt, keep: 'ledger' } : { action: 'dead' };
  stdout.write(JSON.stringify(answer));
});
