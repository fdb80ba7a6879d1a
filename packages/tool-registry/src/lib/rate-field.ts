import { diffJson, type JsonChange } from './diff-json.ts'
import { type Compatibility, type DriftPlace, type DriftReason, graver, type Severity } from './drift.ts'
import { isObject, type Json } from './json.ts'
import { pointerOf } from './pointer.ts'
import { isSecretParameter } from './scan-parameters.ts'
import { scanText } from './scan-text.ts'
import { compareSchemas } from './schema-compatibility.ts'

/** What is said of the change of one field. */
export interface FieldRating {
  /** JSON Pointer, from the definition, to the first place that moved. */
  readonly pointer: string
  readonly places: readonly DriftPlace[]
  readonly severity: Severity
  readonly reasons: readonly DriftReason[]
  readonly compatibility?: Compatibility | undefined
}

/** Severity of a change by field, before anything is known of it. A field that is not named here is `medium`. */
const base: ReadonlyMap<string, Severity> = new Map([
  ['description', 'medium'],
  ['title', 'low'],
  ['inputSchema', 'medium'],
  ['outputSchema', 'low'],
  ['annotations', 'low'],
  ['arguments', 'medium'],
  ['icons', 'low'],
  ['execution', 'low'],
  ['mimeType', 'low'],
  ['_meta', 'low'],
])

const metadata = new Set(['icons', 'execution', 'mimeType', '_meta'])

/** Classifies the change of one member of a definition. */
export function rateField(field: string, before: Json | undefined, after: Json | undefined): FieldRating {
  const changes = diffJson(before, after)
  const start = pointerOf([field])
  const places = changes.map(({ pointer, op }) => ({ pointer: start + pointer, op }))
  const reasons = new Set<DriftReason>()
  let severity = base.get(field) ?? 'medium'
  const because = (reason: DriftReason, least: Severity): void => {
    reasons.add(reason)
    severity = graver(severity, least)
  }
  if (!base.has(field)) because('unknown-member', 'medium')
  if (metadata.has(field)) because('metadata-changed', 'low')
  if (field === 'annotations') rateAnnotations(before, after, because)
  rateTexts(changes, because)
  const compatibility = /^(?:input|output)Schema$/.test(field)
    ? rateSchema(before, after, changes, because)
    : undefined
  return {
    pointer: places[0]?.pointer ?? start,
    places,
    severity,
    reasons: [...reasons],
    ...(compatibility && { compatibility }),
  }
}

/** What a definition that was never approved brings with it. */
export function rateNew(definition: Json): Pick<FieldRating, 'severity' | 'reasons'> {
  const grave = textsOf(definition)
    .flatMap(scanText)
    .filter(({ severity }) => severity !== 'info')
  const reasons = new Set(
    grave.map(({ code }) => (addressCodes.has(code) ? 'addresses-model' : 'hidden-characters')),
  )
  return { severity: reasons.size > 0 ? 'high' : 'medium', reasons: [...reasons] }
}

type Because = (reason: DriftReason, least: Severity) => void

/** Defaults of the annotations (2025-03-26 and later, ToolAnnotations), and which value claims to be the safe one. */
const hints: Readonly<Record<string, { readonly absent: boolean; readonly safe: boolean }>> = {
  readOnlyHint: { absent: false, safe: true },
  destructiveHint: { absent: true, safe: false },
  idempotentHint: { absent: false, safe: true },
  openWorldHint: { absent: true, safe: false },
}

function rateAnnotations(before: Json | undefined, after: Json | undefined, because: Because): void {
  let flipped = false
  for (const [name, { absent, safe }] of Object.entries(hints)) {
    const claim = (annotations: Json | undefined): boolean => {
      const value = isObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined
      return typeof value === 'boolean' ? value : absent
    }
    const [was, is] = [claim(before), claim(after)]
    if (was === is) continue
    flipped = true
    because(is === safe ? 'annotation-safer' : 'annotation-changed', is === safe ? 'high' : 'medium')
  }
  if (!flipped) because('annotation-changed', 'low')
}

/** What the texts that came in bring with them: what was there before is no news. */
function rateTexts(changes: readonly JsonChange[], because: Because): void {
  for (const { before, after } of changes) {
    const texts = textsOf(after)
    if (texts.length > 0 || textsOf(before).length > 0) because('text-changed', 'info')
    const known = new Set(textsOf(before).flatMap((text) => scanText(text).map(({ code }) => code)))
    for (const { code, severity } of texts.flatMap(scanText)) {
      if (known.has(code)) continue
      if (addressCodes.has(code)) because('addresses-model', 'high')
      else if (severity !== 'info') because('hidden-characters', 'high')
    }
  }
}

const addressCodes = new Set<string>([
  'addresses-model',
  'overrides-instructions',
  'hides-from-user',
  'imitates-markup',
  'asks-for-secrets',
  'names-private-files',
])

/** Every string and member name inside a value. */
function textsOf(value: Json | undefined): string[] {
  const texts: string[] = []
  const open: (Json | undefined)[] = [value]
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === 'string') texts.push(next)
    else if (Array.isArray(next)) open.push(...next)
    else if (isObject(next)) {
      texts.push(...Object.keys(next))
      open.push(...Object.values(next))
    }
  }
  return texts
}

function rateSchema(
  before: Json | undefined,
  after: Json | undefined,
  changes: readonly JsonChange[],
  because: Because,
): Compatibility {
  const { keepsValid, allowsMore } = compareSchemas(before, after)
  if (keepsValid === 'no') because('schema-narrowed', 'medium')
  if (allowsMore === 'yes') because('schema-widened', 'medium')
  if (keepsValid === 'unknown' || allowsMore === 'unknown') because('schema-changed', 'medium')
  for (const { op, pointer } of changes) {
    const name = /\/properties\/([^/]+)$/.exec(pointer)?.[1]
    if (op === 'add' && name !== undefined && isSecretParameter(name)) because('secret-parameter', 'high')
  }
  return { keepsValid, allowsMore }
}
