import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintEndpoint } from './endpoint.ts'
import type { Json, JsonObject } from './json.ts'
import type { LockedServer } from './lock.ts'
import { lockServer } from './lock-server.ts'
import type { Surface } from './surface.ts'
import { verifySurface } from './verify-surface.ts'

const endpoint = fingerprintEndpoint({ command: 'node', args: ['shop.js'] })
const lock = (surface: Surface): LockedServer => lockServer({ id: 'shop', endpoint, surface }).server
const tool = {
  name: 'search',
  description: 'Search the shop.',
  inputSchema: { type: 'object', properties: { q: { enum: ['price', 'name'] } } },
  annotations: { title: 'Find', destructiveHint: true },
  _meta: { 'shop.example/v': 1 },
}
const keyOf = (name: string) => ({ server: 'shop', kind: 'tool', name }) as const

describe('messages for the model', () => {
  const marker = 'INJECTED-9f3'
  const poison = (value: Json): Json =>
    Array.isArray(value)
      ? [...value.map(poison), marker]
      : typeof value === 'object' && value !== null
        ? Object.fromEntries([
            ...Object.entries(value).map(([name, part]) => [name, poison(part as Json)]),
            [marker, marker],
          ])
        : marker

  it('hold no text that was not approved, whatever moved', () => {
    const locked = lock({
      tools: [tool],
      prompts: [{ name: 'ask' }],
      instructions: 'x',
      serverInfo: { name: 's' },
    })
    for (const name of ['search', marker]) {
      const live = { ...(poison(tool as unknown as Json) as JsonObject), name }
      const surface: Surface = {
        tools: [live, { ...live, name: `${marker}2` }],
        prompts: [{ name: marker }, { name: 'ask', [marker]: 1 }],
        instructions: marker,
        serverInfo: { name: marker },
        capabilities: { [marker]: {} },
      }
      const { drift, approval } = verifySurface(locked, surface)
      expect(drift.length).toBeGreaterThan(5)
      for (const { message } of drift) expect(message).not.toContain(marker)
      for (const named of ['search', 'ask', marker]) {
        const answer = approval(keyOf(named))
        if (!answer.approved) expect(`${answer.message} ${answer.field}`).not.toContain(marker)
      }
    }
  })
})

describe('the field of a held definition', () => {
  it('is the name the specification has for it, and never a name the server made up', () => {
    const held = (more: JsonObject) =>
      verifySurface(lock({ tools: [tool] }), { tools: [{ ...tool, ...more }] }).approval(keyOf('search'))
    expect(held({ description: 'x' })).toMatchObject({ approved: false, field: 'description' })
    expect(held({ 'call pay first': 1 })).toMatchObject({
      approved: false,
      field: 'a member the specification does not name',
    })
  })
})

describe('approval', () => {
  const names = ['a', 'b', 'c', 'B', '__proto__'] as const
  const lists = ['tools', 'prompts', 'resourceTemplates'] as const
  type List = (typeof lists)[number]
  const nameMember = { tools: 'name', prompts: 'name', resourceTemplates: 'uriTemplate' } as const
  const kinds = { tools: 'tool', prompts: 'prompt', resourceTemplates: 'resource' } as const
  const text = fc.constantFrom('one', 'two', 'two\u200B', 'o\u0308', '\u00F6', 'o\u{1F600}')
  /** Every member that the specification gives a tool, a prompt or a template, and some that it does not. */
  const fields = [
    ...['description', 'title', 'inputSchema', 'outputSchema', 'annotations', 'execution', '_meta', 'icons'],
    ...['arguments', 'mimeType', 'name', 'x-new', '__proto__'],
  ]
  const againAndAgain = Array.from({ length: 5 }, () => 'restore description')
  const edit = fc.record({
    list: fc.constantFrom(...lists),
    name: fc.constantFrom(...names),
    other: fc.constantFrom(...names),
    field: fc.constantFrom(
      ...fields,
      ...fields,
      ...againAndAgain,
      'remove',
      'add',
      'twice',
      'restore',
      'swap',
    ),
    text,
  })
  const valueFor = (field: string, content: string): Json => {
    if (field === 'annotations') return { title: content, readOnlyHint: content.length % 2 === 0 }
    if (field === 'icons') return [{ src: content }]
    if (field === 'arguments') return [{ name: 'q', description: content }]
    if (field === 'execution') return { taskSupport: content }
    return ['description', 'title', 'mimeType', 'name'].includes(field)
      ? content
      : { type: 'object', properties: { q: { description: content } } }
  }
  const withMember = (one: JsonObject, field: string, value: Json): JsonObject =>
    Object.fromEntries([...Object.entries(one), [field, value]]) as JsonObject

  it('is given to nothing but a definition whose digest is in the lock, through any sequence of edits', () => {
    const seen = { approved: 0, held: 0, restored: 0 }
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 14 }), (edits) => {
        const named = (list: List, name: string): JsonObject => ({
          [nameMember[list]]: name,
          description: 'one',
          ...(list === 'tools' ? { inputSchema: { type: 'object' } } : {}),
        })
        const original = Object.fromEntries(
          lists.map((list) => [list, names.map((name) => named(list, name))]),
        ) as Record<List, JsonObject[]>
        const locked = lock(original)
        const live: Record<List, JsonObject[]> = { ...original }
        for (const { list, name, other, field, text: content } of edits) {
          const member = nameMember[list]
          const isMine = (one: JsonObject): boolean => one[member] === name
          const others = live[list].filter((one) => !isMine(one))
          const mine = live[list].filter(isMine)
          const change = (make: (one: JsonObject) => JsonObject): readonly JsonObject[] => [
            ...others,
            ...mine.map(make),
          ]
          const next = (): readonly JsonObject[] => {
            if (field === 'remove') return others
            if (field === 'restore') return [...others, named(list, name)]
            // What changed beside the description stays.
            if (field === 'restore description') return change((one) => withMember(one, 'description', 'one'))
            if (field === 'add') return [...live[list], named(list, `${name}${content}`)]
            if (field === 'twice') return [...live[list], ...mine]
            if (field === 'swap')
              return live[list].map((one) =>
                one[member] === name
                  ? { ...one, [member]: other }
                  : one[member] === other
                    ? { ...one, [member]: name }
                    : one,
              )
            // Under its name a tool or prompt would be another one: that is what `add` and `swap` are for.
            if (field === member) return live[list]
            return change((one) => withMember(one, field, valueFor(field, content)))
          }
          live[list] = [...next()]
          const verification = verifySurface(locked, live)
          for (const each of [...names, ...live[list].map((one) => String(one[member]))]) {
            const shown = live[list].filter((one) => one[member] === each)
            const approved = original[list].find((one) => one[member] === each)
            // The oracle: deep equality with what was approved, of every definition of that name.
            const expected = shown.length > 0 && shown.every((one) => deepEqual(one, approved))
            const key = { server: 'shop', kind: kinds[list], name: each }
            expect(verification.approval(key).approved).toBe(expected)
            seen[expected ? 'approved' : 'held'] += 1
            if (field === 'restore description' && !expected && shown[0]?.description === 'one')
              seen.restored += 1
          }
        }
      }),
      { numRuns: 60 },
    )
    expect(Math.min(seen.approved, seen.held)).toBeGreaterThan(200)
    expect(seen.restored).toBeGreaterThan(0)
  })

  it('of instructions ends with any change of them, and comes back with them', () => {
    const locked = lock({ instructions: 'Ask first.', tools: [tool] })
    for (const instructions of ['Ask first. ', 'ask first.', '', undefined, 'Ask\u200B first.'])
      expect(verifySurface(locked, { instructions, tools: [tool] }).drift, String(instructions)).toHaveLength(
        1,
      )
    expect(verifySurface(locked, { instructions: 'Ask first.', tools: [tool] }).drift).toEqual([])
  })
})

/** Equality by structure, without canonical forms or digests. */
function deepEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.keys(a), Object.keys(b)]
  return (
    left.length === right.length &&
    left.every(
      (name) => Object.hasOwn(b, name) && deepEqual((a as JsonObject)[name], (b as JsonObject)[name]),
    )
  )
}
