export {
  CanonicalJsonError,
  type CanonicalJsonErrorCode,
  type CanonicalJsonOptions,
  canonicalJson,
} from './lib/canonical-json.ts'
export { checkEndpoint, type EndpointCode, type EndpointFinding } from './lib/check-endpoint.ts'
export {
  type CheckSchemaOptions,
  checkSchema,
  type SchemaCode,
  type SchemaFinding,
} from './lib/check-schema.ts'
export { compareEndpoint } from './lib/compare-endpoint.ts'
export { type CompareOptions, compareSurface } from './lib/compare-surface.ts'
export {
  type DigestOptions,
  digestDefinition,
  digestDefinitionText,
  digestInstructions,
  digestSet,
  digestText,
  type Sha256,
} from './lib/digest.ts'
export {
  type Compatibility,
  type Drift,
  type DriftChange,
  type DriftPlace,
  type DriftReason,
  type DriftSubject,
  isAtLeast,
  type Severity,
} from './lib/drift.ts'
export {
  EndpointConfigError,
  type EndpointFacts,
  type EndpointFingerprint,
  fingerprintEndpoint,
} from './lib/endpoint.ts'
export { type FlatNameOptions, flatName, NameLimitError } from './lib/flat-name.ts'
export { formatLock } from './lib/format-lock.ts'
export type { Json, JsonObject } from './lib/json.ts'
export { compareKeys, type Key, type KeyKind, keyId, sameKey } from './lib/key.ts'
export {
  emptyLock,
  type Lock,
  type LockedDefinition,
  type LockedInstructions,
  type LockedServer,
  type LockModes,
  lockedServer,
  type Substitutions,
  type UriSpace,
  withoutServer,
  withServer,
} from './lib/lock.ts'
export { type LockServerInput, type LockServerResult, lockServer, type NotLocked } from './lib/lock-server.ts'
export { createNameMap, NameClashError, type NameMap } from './lib/name-map.ts'
export { type NameProfile, type NameProfileId, nameProfiles } from './lib/name-profile.ts'
export {
  LockError,
  type LockProblem,
  type LockProblemCode,
  type LockReading,
  parseLock,
  readLock,
} from './lib/parse-lock.ts'
export {
  type ProbeConnection,
  type ProbedList,
  type ProbeOptions,
  type ProbeReport,
  probeSurface,
} from './lib/probe-surface.ts'
export { repairTool, type ToolRepair } from './lib/repair-tool.ts'
export { type SanitizeOptions, sanitizeForDisplay, sanitizeName } from './lib/sanitize.ts'
export type { FoundCharacter, ScanCode, ScanFinding } from './lib/scan-finding.ts'
export { type ScanOptions, scanSurface } from './lib/scan-surface.ts'
export { type CompatibilityVerdict, compareSchemas } from './lib/schema-compatibility.ts'
export { dialectOf, type SchemaDialect } from './lib/schema-dialect.ts'
export { MissingMachineFactError, type ServedSurface, servedSurface } from './lib/served-surface.ts'
export {
  findSubstitutions,
  type MachineFacts,
  type SubstitutionFinding,
  toSubstitutions,
} from './lib/substitutions.ts'
export type { CatalogueList, Surface } from './lib/surface.ts'
export { type Approval, lockedDefinition, type Verification, verifySurface } from './lib/verify-surface.ts'
