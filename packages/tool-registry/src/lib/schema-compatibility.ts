import type { Compatibility } from './drift.ts'
import type { Json } from './json.ts'
import { asSchema, documentOf } from './schema-parts.ts'
import { sampleValues } from './schema-samples.ts'
import { isProvablySubset } from './schema-subset.ts'
import { isValid } from './schema-valid.ts'

/** A verdict with the values that show it. */
export interface CompatibilityVerdict extends Compatibility {
  /** A value that was valid and is no longer; present where `keepsValid` is `no`. */
  readonly broken: Json | undefined
  /** A value that was invalid and is now valid; present where `allowsMore` is `yes`. */
  readonly allowed: Json | undefined
}

/**
 * What the change from one schema to another does to calls. Both answers are shown, not guessed: `yes` to
 * `keepsValid` and `no` to `allowsMore` by proof, the opposite ones by a value that proves them; else `unknown`.
 */
export function compareSchemas(before: Json | undefined, after: Json | undefined): CompatibilityVerdict {
  const a = asSchema(before)
  const b = asSchema(after)
  const keeps = isProvablySubset(a, b)
  const more = !isProvablySubset(b, a)
  let broken: Json | undefined
  let allowed: Json | undefined
  if (!keeps || more) {
    const [inA, inB] = [documentOf(a), documentOf(b)]
    const values = [...sampleValues(a, inA, b, inB), ...sampleValues(b, inB, a, inA)]
    for (const value of values) {
      if (broken !== undefined && allowed !== undefined) break
      const was = isValid(value, a, inA)
      const is = isValid(value, b, inB)
      if (was === true && is === false) broken ??= value
      if (was === false && is === true) allowed ??= value
    }
  }
  return {
    keepsValid: keeps ? 'yes' : broken === undefined ? 'unknown' : 'no',
    allowsMore: !more ? 'no' : allowed === undefined ? 'unknown' : 'yes',
    broken,
    allowed,
  }
}
