export {
  CanonicalJsonError,
  type CanonicalJsonErrorCode,
  type CanonicalJsonOptions,
  canonicalJson,
} from './lib/canonical-json.ts'
export {
  type DigestOptions,
  digestDefinition,
  digestDefinitionText,
  digestInstructions,
  digestSet,
  digestText,
  type Sha256,
} from './lib/digest.ts'
export type { Json, JsonObject } from './lib/json.ts'
export { compareKeys, type Key, type KeyKind, keyId, sameKey } from './lib/key.ts'
export { type SanitizeOptions, sanitizeForDisplay, sanitizeName } from './lib/sanitize.ts'
