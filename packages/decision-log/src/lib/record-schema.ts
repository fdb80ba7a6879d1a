import * as z from 'zod'
import { schemaVersion } from './record.ts'

const text = z.string()
const json = z.json()
const object = z.record(text, json)
const milliseconds = z.number().min(0)

const key = z
  .looseObject({ server: text, kind: z.enum(['tool', 'prompt', 'resource']), name: text })
  .describe("The server id of the operator's configuration and the upstream's own name, compared exactly.")
const caller = z
  .looseObject({ profile: text, connection: text.optional(), claims: object.optional() })
  .describe("Who called: the operator's label; what the client says of itself is under `claims`.")
const approval = z
  .looseObject({ by: text, channel: text, scope: text.optional(), id: text.optional() })
  .describe('Who answered a question, and how the answer came.')
const pin = z
  .looseObject({ state: text, digest: text.optional(), live: text.optional() })
  .describe('How the live definition stood against the approved one.')
const connection = z
  .looseObject({ generation: z.int().min(0), verifiedAgoMs: milliseconds.optional() })
  .describe('Which connection, and how long before it was compared with the lock.')
const kept = z
  .looseObject({ digest: text, value: json.optional(), omittedBytes: z.int().min(0).optional() })
  .describe('The digest of a value, and the value itself where the log was told to keep it.')

const base = {
  index: z.int().min(0).describe('The position in the tree.'),
  tree: text.describe('The tree this record is a leaf of: one for each process that writes.'),
  schema: z.int().min(1).describe(`The version of this schema: ${schemaVersion}.`),
  id: text,
  time: z.iso.datetime({ precision: 3 }).describe('RFC 3339, UTC. Never runs backwards within a tree.'),
  traceparent: text.optional().describe('W3C trace context, as it came with the call.'),
  detail: object.optional(),
  hash: z
    .base64()
    .length(44)
    .describe(
      'The root of the largest perfect subtree that ends with this leaf (RFC 9162, SHA-256). The leaf is the line without this member.',
    ),
}

const call = text.describe('Joins the records of one call.')

const types = {
  log: { origin: text, key: text.optional() },
  decision: {
    call,
    key,
    method: text.optional(),
    flat: text.optional().describe('The model-facing name that was called.'),
    caller: caller.optional(),
    verdict: z.enum(['allow', 'ask', 'deny']),
    rule: text.optional(),
    reason: text,
    approval: approval.optional(),
    pin: pin.optional(),
    connection: connection.optional(),
    arguments: kept.optional(),
  },
  outcome: {
    call,
    key,
    outcome: z.enum(['success', 'tool-error', 'protocol-error', 'refused', 'input-required']),
    code: z.int().optional(),
    message: text.optional(),
    refusedBy: z.enum(['gate', 'server']).optional(),
    denial: text.optional(),
    failure: text.optional(),
    durationMs: milliseconds,
    connection: connection.optional(),
    result: kept.optional(),
  },
  denial: {
    reason: text,
    call: call.optional(),
    server: text.optional(),
    key: key.optional(),
    method: text.optional(),
    caller: caller.optional(),
  },
  drift: {
    server: text,
    held: z.array(
      z.looseObject({
        key,
        change: text,
        field: text.optional(),
        severity: text.optional(),
        approved: text.optional(),
        live: text.optional(),
      }),
    ),
    connection: connection.optional(),
    authorizationChanged: z.boolean().optional(),
  },
  read: {
    call: call.optional(),
    key,
    uri: text,
    trace: z.union([object, z.array(object)]),
    revision: text.optional(),
  },
  approval: {
    key,
    call: call.optional(),
    verdict: z.enum(['allow', 'deny']),
    approval,
    pin: pin.optional(),
    reason: text.optional(),
  },
  event: { event: text, server: text.optional(), message: text.optional() },
} as const

/** A zod schema of what is in a log. Members it does not know are kept, and types of later versions refused. */
export const recordSchema = z
  .discriminatedUnion('type', [
    z.looseObject({ ...base, type: z.literal('log'), ...types.log }),
    z.looseObject({ ...base, type: z.literal('decision'), ...types.decision }),
    z.looseObject({ ...base, type: z.literal('outcome'), ...types.outcome }),
    z.looseObject({ ...base, type: z.literal('denial'), ...types.denial }),
    z.looseObject({ ...base, type: z.literal('drift'), ...types.drift }),
    z.looseObject({ ...base, type: z.literal('read'), ...types.read }),
    z.looseObject({ ...base, type: z.literal('approval'), ...types.approval }),
    z.looseObject({ ...base, type: z.literal('event'), ...types.event }),
  ])
  .describe('A record of the decision log: one line of a segment.')

/** The JSON Schema (2020-12) of a record. */
export function recordJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(recordSchema, { target: 'draft-2020-12', io: 'input' })
  return {
    $schema,
    $id: `urn:truename:decision-log:record:v${schemaVersion}`,
    title: 'Decision log record',
    ...schema,
  }
}
