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
  const text = fc.constantFrom('one', 'two', 'two\u200B', 'o\u0308', '\u00F6', 'o\u{1F600}')
  const edit = fc.record({
    name: fc.constantFrom(...names),
    field: fc.constantFrom(
      'description',
      'title',
      'inputSchema',
      'outputSchema',
      'annotations',
      '_meta',
      'icons',
      'x-new',
      '__proto__',
      'remove',
      'add',
      'twice',
      'restore',
    ),
    text,
  })
  const valueFor = (field: string, content: string): Json => {
    if (field === 'annotations') return { title: content, readOnlyHint: content.length % 2 === 0 }
    if (field === 'icons') return [{ src: content }]
    return field === 'description' || field === 'title'
      ? content
      : { type: 'object', properties: { q: { description: content } } }
  }

  it('is given to nothing but a definition whose digest is in the lock, through any sequence of edits', () => {
    let approvedSeen = 0
    let heldSeen = 0
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 12 }), (edits) => {
        const original = names.map(
          (name): JsonObject => ({ name, description: 'one', inputSchema: { type: 'object' } }),
        )
        const locked = lock({ tools: original })
        let live: JsonObject[] = original
        for (const { name, field, text: content } of edits) {
          const others = live.filter((one) => one.name !== name)
          const mine = live.filter((one) => one.name === name)
          const known = original.find((one) => one.name === name) as JsonObject
          if (field === 'remove') live = others
          else if (field === 'restore') live = [...others, known]
          else if (field === 'add') live = [...live, { name: `${name}${content}`, description: content }]
          else if (field === 'twice') live = [...live, ...mine]
          else
            live = [
              ...others,
              ...mine.map(
                (one) =>
                  Object.fromEntries([
                    ...Object.entries(one),
                    [field, valueFor(field, content)],
                  ]) as JsonObject,
              ),
            ]
          const verification = verifySurface(locked, { tools: live })
          for (const key of [...names, ...live.map((one) => String(one.name))].map(keyOf)) {
            const shown = live.filter((one) => one.name === key.name)
            // The oracle: deep equality with what was approved, of every definition of that name.
            const expected =
              shown.length > 0 &&
              original.some((one) => one.name === key.name) &&
              shown.every((one) =>
                deepEqual(one, original.find((first) => first.name === key.name) as JsonObject),
              )
            expect(verification.approval(key).approved).toBe(expected)
            if (expected) approvedSeen += 1
            else heldSeen += 1
          }
        }
      }),
      { numRuns: 50 },
    )
    expect(Math.min(approvedSeen, heldSeen)).toBeGreaterThan(200)
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
