import { type ParsedCheckpoint, parseCheckpoint, splitCheckpoints, treeOf } from './checkpoint.ts'
import { describeFailure } from './errors.ts'
import { createFindings, type Finding } from './findings.ts'
import type { KnownCheckpoint } from './heads.ts'
import { sha256 as javascriptSha256, type Sha256 } from './merkle.ts'
import { judgeNote, type Verifier } from './note.ts'
import type { LogStore } from './store.ts'
import { verifyTree } from './verify-tree.ts'

export interface VerifyOptions {
  /** Checkpoints that were kept elsewhere: texts that hold one, or several with an empty line behind each. */
  readonly against?: string | readonly string[] | undefined
  /** The keys whose checkpoints are trusted. Without any, signatures are not checked, and a finding says so. */
  readonly trust?: readonly Verifier[] | undefined
  /** Only these trees. */
  readonly trees?: readonly string[] | undefined
  /** How many findings are listed; all are counted. Default 200. */
  readonly limit?: number | undefined
  /** Called now and then with the number of records that were read. */
  readonly onProgress?: ((records: number) => void) | undefined
  readonly sha256?: Sha256 | undefined
}

/** What was found in one tree. */
export interface TreeReport {
  readonly tree: string
  readonly origin: string | undefined
  readonly records: number
  /** The tree hash over what the lines state, where it is known. */
  readonly root: Uint8Array | undefined
  /** How many checkpoints fit. */
  readonly checkpoints: number
  /** How many records are covered by a checkpoint that fits; what comes after is held together by its hashes alone. */
  readonly sealed: number
}

export interface Verification {
  /** Whether nothing is wrong; notes, such as a line cut short by a crash, may be there. */
  readonly ok: boolean
  readonly records: number
  readonly trees: readonly TreeReport[]
  readonly findings: readonly Finding[]
  /** How many findings of severity `error` there are, listed or not. */
  readonly errors: number
  readonly notes: number
}

/** The checkpoints in a text; what is not one is left for `parseCheckpoint` to say so. */
function checkpointsIn(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n')
  const { notes, rest } = splitCheckpoints(lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`)
  const nothing = rest === '' && notes.length > 0
  return nothing ? notes.filter((note) => note.trim() !== '') : [...notes, rest]
}

interface Judged extends KnownCheckpoint {
  readonly tree: string
}

/** Reads a store from end to end, once, in bounded memory, and says what does not add up. */
export async function verifyStore(store: LogStore, options: VerifyOptions = {}): Promise<Verification> {
  const hash = options.sha256 ?? store.sha256 ?? javascriptSha256
  const trust = options.trust ?? []
  const findings = createFindings(options.limit ?? 200)
  const names = (await store.trees()).filter((tree) => options.trees?.includes(tree) ?? true)

  const judge = async (
    note: string,
    tree: string | undefined,
    outside: boolean,
  ): Promise<Judged | undefined> => {
    let checkpoint: ParsedCheckpoint
    try {
      checkpoint = parseCheckpoint(note)
    } catch (error) {
      findings.add({ kind: 'bad-checkpoint', severity: 'error', tree, message: describeFailure(error) })
      return undefined
    }
    const named = tree ?? treeOf(checkpoint)
    const { size } = checkpoint
    const where = { tree: named, size, severity: 'error' as const }
    if (!checkpoint.signed) {
      if (!outside && trust.length > 0) {
        const message = `The checkpoint of ${size} records is not signed; it is not relied on.`
        findings.add({ ...where, kind: 'unsigned', message })
        return undefined
      }
    } else if (trust.length > 0) {
      const judgement = await judgeNote(checkpoint.signed, trust)
      if (judgement !== 'trusted') {
        const why = judgement === 'unknown-key' ? 'is by no trusted key' : 'has a signature that is wrong'
        findings.add({ ...where, kind: judgement, message: `The checkpoint of ${size} records ${why}.` })
        return undefined
      }
    } else {
      const message = 'No key was given, so the signatures of checkpoints are not checked.'
      findings.addOnce({ kind: 'unchecked-signature', severity: 'note', message })
    }
    return { checkpoint, outside, tree: named }
  }

  const kept: Judged[] = []
  for (const note of [options.against ?? []].flat().flatMap(checkpointsIn)) {
    const judged = await judge(note, undefined, true)
    if (!judged) continue
    if (names.includes(judged.tree)) kept.push(judged)
    else {
      const message = `The log has no tree ${judged.tree}, of which a checkpoint of ${judged.checkpoint.size} records was kept.`
      findings.add({ kind: 'missing-tree', severity: 'error', tree: judged.tree, message })
    }
  }

  const reports: TreeReport[] = []
  let records = 0
  for (const tree of names) {
    // Checkpoints first: a writer that is at work makes them after the records they cover.
    const own: Judged[] = []
    for (const note of await store.checkpoints(tree)) {
      const judged = await judge(note, tree, false)
      if (judged) own.push(judged)
    }
    const known = [...own, ...kept.filter((item) => item.tree === tree)]
    const report = await verifyTree(store, tree, known, findings, hash, (count) =>
      options.onProgress?.(records + count),
    )
    if (trust.length > 0 && report.sealed === 0 && report.records > 0) {
      const message = 'No checkpoint that fits covers this tree: nothing shows who wrote it.'
      findings.add({ kind: 'unsealed', severity: 'note', tree, message })
    }
    records += report.records
    reports.push(report)
  }
  options.onProgress?.(records)
  const { errors, notes, listed } = findings.result()
  return { ok: errors === 0, records, trees: reports, findings: listed, errors, notes }
}
