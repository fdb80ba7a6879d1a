/** What kind of thing is wrong with a log. */
export type FindingKind =
  /** A record is not what its line's hash was made from. */
  | 'changed'
  /** Records are not there. */
  | 'removed'
  /** A line was put in that does not belong there. */
  | 'inserted'
  /** A record is in another place than the one it was written to. */
  | 'reordered'
  /** A line is not a line of a log. */
  | 'malformed'
  /** The first record does not name this tree. */
  | 'foreign'
  /** The hashes of the lines agree with each other and not with a checkpoint. */
  | 'rewritten'
  /** A checkpoint covers more records than there are. */
  | 'cut'
  /** Two checkpoints of one size have two roots. */
  | 'forked'
  /** A checkpoint was kept of a tree that is not there. */
  | 'missing-tree'
  | 'bad-checkpoint'
  | 'bad-signature'
  | 'unknown-key'
  | 'unsigned'
  /** What a database searches by says something else than the record. */
  | 'mislabelled'
  /** A record cannot be checked on its own, because one it was hashed together with is missing. */
  | 'unverifiable'
  /** No checkpoint shows who wrote a tree: its writer was killed before the first, or is at work, or it is forged. */
  | 'unsealed'
  /** The last line was not written to its end. */
  | 'torn'
  /** The newline behind the last line of a segment is gone, though another segment follows. */
  | 'unended'
  | 'unchecked-signature'

/** Something that does not add up, or that a reader should know. */
export interface Finding {
  readonly kind: FindingKind
  /** A note does not make a log untrustworthy. */
  readonly severity: 'error' | 'note'
  readonly message: string
  readonly tree?: string | undefined
  /** The record it is about, or the first of several. */
  readonly index?: number | undefined
  /** The record behind the last of several. */
  readonly end?: number | undefined
  readonly segment?: string | undefined
  /** The line within the segment, from 1. */
  readonly line?: number | undefined
  /** The size of the checkpoint it is about. */
  readonly size?: number | undefined
  /** Where in the segment a torn line begins, in bytes. */
  readonly offset?: number | undefined
}

/** Collects findings: all are counted, so many are listed. */
export interface Findings {
  add(finding: Finding): void
  /** Like `add`, unless there is one of this kind already. */
  addOnce(finding: Finding): void
  /** Takes one back, where what follows shows that it was something else. */
  replace(old: Finding, other: Finding): void
  result(): { readonly listed: readonly Finding[]; readonly errors: number; readonly notes: number }
}

export function createFindings(limit: number): Findings {
  const listed: Finding[] = []
  const kinds = new Set<FindingKind>()
  let errors = 0
  let notes = 0
  const add = (finding: Finding): void => {
    kinds.add(finding.kind)
    if (finding.severity === 'error') errors += 1
    else notes += 1
    if (listed.length < limit) listed.push(finding)
  }
  return {
    add,
    addOnce(finding) {
      if (!kinds.has(finding.kind)) add(finding)
    },
    replace(old, other) {
      const at = listed.indexOf(old)
      if (at >= 0) listed[at] = other
    },
    result: () => ({ listed, errors, notes }),
  }
}
