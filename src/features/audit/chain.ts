/**
 * Checks the chain of decisions (docs/audit.md): each decision has a hash over its own fields and the hash of the decision before it about the
 * same work item or target. The hashes are computed here again, not by the database that is being checked.
 */
import { createHash } from 'node:crypto';
import type { ChainFault, Decision } from './rows.ts';

/** The SHA-256 of the texts as a JSON array, as `animus.digest_texts` computes it. */
export function digestTexts(...texts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

/** The hash that the decision must have; `seq` stands for its own number. */
export function decisionHash(one: Decision, seq = one.seq): string {
  const { previous_hash, id, work_item_id, target, call_id, action, decided_by, created_at } = one;
  const about = [one.note_digest, one.work_digest, one.subject_digest];
  return digestTexts(
    previous_hash,
    id,
    String(seq),
    work_item_id,
    target,
    call_id,
    action,
    decided_by,
    created_at,
    ...about,
  );
}

/** Checks decisions one by one. Give it each chain in the order of its numbers, one chain after the other. */
export function chainChecker(): { check(one: Decision): readonly ChainFault[]; readonly chains: number } {
  let last: Decision | null = null;
  let chains = 0;
  return {
    get chains() {
      return chains;
    },
    check(one) {
      const before = last !== null && sameChain(last, one) ? last : null;
      if (before === null) chains++;
      last = one;
      return [...faultsOfRow(one), ...faultsOfPlace(one, before)];
    },
  };
}

function sameChain(a: Decision, b: Decision): boolean {
  return a.work_item_id === b.work_item_id && a.target === b.target;
}

function faultsOfRow(one: Decision): readonly ChainFault[] {
  if (decisionHash(one) !== one.hash) {
    const was = formerNumber(one);
    return was === null
      ? [faultOf(one, 'changed', 'it was changed: its hash does not match')]
      : [faultOf(one, 'reordered', `it was number ${was}`)];
  }
  const noteFits = one.salt === null ? one.note === '' : digestTexts(one.salt, one.note) === one.note_digest;
  return noteFits ? [] : [faultOf(one, 'changed', 'its note was changed')];
}

/** The number with which the hash fits. Numbers are moved among neighbours; a chain has few. */
function formerNumber(one: Decision): number | null {
  for (let seq = 1; seq <= one.seq + 100; seq++) if (decisionHash(one, seq) === one.hash) return seq;
  return null;
}

function faultsOfPlace(one: Decision, before: Decision | null): readonly ChainFault[] {
  const expected = (before?.seq ?? 0) + 1;
  if (one.seq > expected) {
    const which = one.seq === expected + 1 ? `number ${expected} is` : `numbers ${expected} to ${one.seq - 1} are`;
    return [faultOf(one, 'missing', `${which} missing before it`)];
  }
  if (one.previous_hash !== (before?.hash ?? null)) {
    return [faultOf(one, 'replaced', 'the decision before it is not the one that it followed')];
  }
  return [];
}

function faultOf(one: Decision, fault: ChainFault['fault'], detail: string): ChainFault {
  const { work_item_id, target, seq, id } = one;
  return { fault, work_item_id, target, seq, id, detail };
}
