import { fromBase64, toBase64 } from './bytes.ts'
import { DecisionLogError } from './errors.ts'
import { type Note, parseNote, type Signer, signNote } from './note.ts'

/** The head of a tree at one size (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** Names the log and, as its last path segment, the tree. */
  readonly origin: string
  readonly size: number
  /** The Merkle tree hash, 32 bytes. */
  readonly root: Uint8Array
  /** The checkpoint as text: a signed note, or the bare note text where there is no signer. */
  readonly note: string
}

/** A checkpoint taken apart; nothing in it is trusted yet. */
export interface ParsedCheckpoint extends Checkpoint {
  /** `undefined` for a bare note text, which shows consistency to whoever kept it and nothing to anybody else. */
  readonly signed: Note | undefined
}

const maximumLength = 64 * 1024

/** The note text: origin, size, root, each on a line. */
export const checkpointText = (origin: string, size: number, root: Uint8Array): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`

/** Makes a checkpoint, signed where there is a signer. */
export async function makeCheckpoint(
  origin: string,
  size: number,
  root: Uint8Array,
  signer: Signer | undefined,
): Promise<Checkpoint> {
  const text = checkpointText(origin, size, root)
  return { origin, size, root, note: signer ? await signNote(text, [signer]) : text }
}

/**
 * Reads a checkpoint, signed or bare. Signatures are not checked here: see `judgeNote`.
 * @throws DecisionLogError `bad-checkpoint`, saying which line is not as it must be
 */
export function parseCheckpoint(note: string): ParsedCheckpoint {
  const bad = (why: string): DecisionLogError =>
    new DecisionLogError('bad-checkpoint', `Not a checkpoint: ${why}.`, { note: note.slice(0, 400) })
  if (note.length > maximumLength) throw bad(`it is longer than ${maximumLength} characters`)
  const signed = note.includes('\n\n') ? parseNote(note) : undefined
  if (note.includes('\n\n') && !signed) throw bad('its signatures are malformed')
  const text = signed?.text ?? note
  if (!text.endsWith('\n')) throw bad('the last line has no newline')
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.slice(0, -1).split('\n')
  if (origin === '') throw bad('line 1, the origin, is empty')
  const size = Number(sizeText)
  if (!/^(?:0|[1-9]\d*)$/.test(sizeText) || !Number.isSafeInteger(size))
    throw bad('line 2, the tree size, is not a decimal number')
  const root = fromBase64(rootText)
  if (root?.length !== 32) throw bad('line 3, the root hash, is not 32 bytes in base64')
  if (extensions.includes('')) throw bad('an extension line is empty')
  return { origin, size, root, note, signed }
}

/** The tree a checkpoint is of: the last segment of its origin. */
export const treeOf = (checkpoint: Pick<Checkpoint, 'origin'>): string =>
  checkpoint.origin.slice(checkpoint.origin.lastIndexOf('/') + 1)

/** Takes checkpoints apart that were written one after the other, each followed by an empty line. */
export function splitCheckpoints(text: string): { readonly notes: readonly string[]; readonly rest: string } {
  const notes: string[] = []
  const lines = text.split('\n')
  let start = 0
  let body = true
  for (let at = 0; at < lines.length - 1; at += 1) {
    const line = lines[at]
    if (line !== '') continue
    const next = lines[at + 1] ?? ''
    if (body && next.startsWith('\u2014 ')) {
      body = false
      continue
    }
    notes.push(`${lines.slice(start, at).join('\n')}\n`)
    start = at + 1
    body = true
  }
  return { notes, rest: lines.slice(start).join('\n') }
}
