export {
  type Checkpoint,
  checkpointText,
  makeCheckpoint,
  type ParsedCheckpoint,
  parseCheckpoint,
  splitCheckpoints,
  treeOf,
} from './lib/checkpoint.ts'
export { DecisionLogError, type LogErrorCode } from './lib/errors.ts'
export type { Finding, FindingKind } from './lib/findings.ts'
export type { Json, JsonObject } from './lib/json.ts'
export { parseLine } from './lib/line.ts'
export { createDecisionLog, type DecisionLog, type Receipt } from './lib/log.ts'
export type { CheckpointInterval, DecisionLogOptions } from './lib/log-options.ts'
export { memoryStore } from './lib/memory-store.ts'
export { leafHash, nodeHash, type Sha256, treeRoot } from './lib/merkle.ts'
export {
  formatVerifierKey,
  judgeNote,
  type Note,
  type NoteSignature,
  parseNote,
  parseVerifierKey,
  type Signer,
  signNote,
  type Verifier,
} from './lib/note.ts'
export { digestValue, type KeepMode, type KeepOptions } from './lib/prepare.ts'
export { verifyConsistency, verifyInclusion } from './lib/proof.ts'
export { type ConsistencyProof, type InclusionProof, proveConsistency, proveInclusion } from './lib/prove.ts'
export { comparePositions, type Filter, type Position, queryStore } from './lib/query.ts'
export type * from './lib/record.ts'
export { schemaVersion } from './lib/record.ts'
export { recordJsonSchema, recordSchema } from './lib/record-schema.ts'
export { createTextRedactor, redacted, secretKeys } from './lib/redact.ts'
export { secretTexts } from './lib/secret-texts.ts'
export type { LineBatch, LogStore, TreeWriter } from './lib/store.ts'
export { type TreeReport, type Verification, type VerifyOptions, verifyStore } from './lib/verify.ts'
