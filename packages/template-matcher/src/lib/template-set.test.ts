import { describe, expect, it } from 'vitest'
import type { TemplateConflictError } from './conflicts.ts'
import { matchReadings, matchTemplate } from './match-template.ts'
import { overlap } from './overlap.ts'
import type { TemplateSetOptions } from './set-types.ts'
import { compareShape, compareSpecificity } from './specificity.ts'
import { createTemplateSet } from './template-set.ts'
import { createRandom, randomTemplate, tryExpand } from './testing/brute-force.ts'
import { toTemplate } from './to-template.ts'

const filled = (
  entries: readonly string[],
  exact: readonly string[] = [],
  options: TemplateSetOptions = {},
) => {
  const set = createTemplateSet<string>(options)
  for (const entry of entries) set.add(entry, entry)
  for (const uri of exact) set.addExact(uri, `exact ${uri}`)
  return set
}

const shuffled = <T>(items: readonly T[], random: (count: number) => number): T[] => {
  const left = [...items]
  return items.map(() => left.splice(random(left.length), 1)[0] as T)
}

describe('createTemplateSet', () => {
  it('gives a URI to the exact resource, then to the template with more literal text, in any order', () => {
    const templates = ['shop://items/{section}/{slug}', 'shop://items/{section}/stats', 'shop://{kind}/{id}']
    for (const order of [templates, [...templates].reverse()]) {
      const set = filled(order, ['shop://items/all'])
      expect(set.match('shop://items/toys/stats')?.data).toBe('shop://items/{section}/stats')
      expect(set.match('shop://items/toys/bear')?.data).toBe('shop://items/{section}/{slug}')
      expect(set.match('shop://items/all')?.data).toBe('exact shop://items/all')
      expect(set.match('shop://items/other')?.data).toBe('shop://{kind}/{id}')
      expect(set.matchAll('shop://items/all').map(({ data }) => data)).toEqual([
        'exact shop://items/all',
        'shop://{kind}/{id}',
      ])
    }
  })

  it('finds through its index what matching one template after the other finds, in any order of registration', () => {
    const random = createRandom(21)
    const templates = [...new Set(Array.from({ length: 150 }, () => `s:${randomTemplate(random, false)}`))]
    const sets = [filled(templates), filled(shuffled(templates, random)), filled(shuffled(templates, random))]
    const letters = [
      'a',
      'b',
      '/',
      '?k=',
      '&v=',
      '.',
      ',',
      ';v',
      '#',
      '=',
      '%20',
      '%61',
      'v',
      'w',
      'x',
      '%c3%a9',
    ]
    let matched = 0
    for (let tried = 0; tried < 150; tried += 1) {
      const some = templates[random(templates.length)]!
      const uri =
        tried % 2 === 0
          ? tryExpand(some, { v: 'a', w: ['b', 'a'], x: 'ab' })
          : `s:${Array.from({ length: random(6) }, () => letters[random(letters.length)]).join('')}`
      if (uri === undefined) continue
      const naive = templates.filter((template) => matchTemplate(template, uri)).sort(compareSpecificity)
      matched += naive.length
      for (const set of sets) {
        expect([uri, set.matchAll(uri).map(({ data }) => data)]).toEqual([uri, naive])
        const hit = set.match(uri)
        expect(hit?.data).toBe(naive[0])
        if (naive[0] !== undefined) expect({ ...hit?.values }).toEqual(matchTemplate(naive[0], uri)?.values)
        expect((hit?.raw ?? []).map(({ text }) => text).join('')).toBe(naive.length > 0 ? uri : '')
      }
    }
    expect(matched).toBeGreaterThan(100)
  })

  it.each<TemplateSetOptions>([{ mode: 'tolerant' }, { query: { unknown: 'ignore' } }])(
    'finds through its index what one template after the other finds, with %j',
    (options) => {
      const random = createRandom(25)
      const templates = [...new Set(Array.from({ length: 60 }, () => `s:${randomTemplate(random, false)}`))]
      const set = filled(templates, [], options)
      const letters = ['a', 'b', '/', '?k=', '&v=', '&u=1', '.', ',', ';v', '=', '%20', ' ', 'é', 'a/b', 'w']
      let matched = 0
      for (let tried = 0; tried < 200; tried += 1) {
        const uri = `s:${Array.from({ length: random(6) }, () => letters[random(letters.length)]).join('')}`
        const strict = templates.filter((each) =>
          matchTemplate(each, uri, options.query ? { query: options.query } : {}),
        )
        const some = strict.length > 0 ? strict : templates
        const naive = some
          .flatMap((each) => matchReadings(each, uri, options).map(() => each))
          .sort(compareSpecificity)
        matched += naive.length
        expect([uri, set.matchAll(uri).map(({ data }) => data)]).toEqual([uri, naive])
      }
      expect(matched).toBeGreaterThan(100)
    },
  )

  it('finds the same while templates that share their beginnings come and go', () => {
    const random = createRandom(24)
    const pieces = ['a', 'ab', 'b', 'a{v}', '{v}', '{v}.b', '{v}', 'a%20', '{v,w}']
    const texts = ['a', 'ab', 'b', 'b.b', 'a,b', 'a%20', '%61', 'aa', '', '%2F.b']
    const some = (of: readonly string[]): string =>
      Array.from({ length: 1 + random(4) }, () => of[random(of.length)]).join('/')
    const set = createTemplateSet<string>()
    const there = new Map<string, () => void>()
    let matched = 0
    for (let tried = 0; tried < 600; tried += 1) {
      const template = `s:${some(pieces)}`.replace(/[vw]/g, (name, place) => `${name}${place}`)
      const remove = there.get(template)
      if (remove === undefined) there.set(template, set.add(template, template))
      else {
        remove()
        remove()
        there.delete(template)
      }
      const uri = `s:${some(texts)}`
      const naive = [...there.keys()].filter((each) => matchTemplate(each, uri)).sort(compareSpecificity)
      matched += naive.length
      const hit = set.match(uri)
      expect([uri, hit?.data]).toEqual([uri, naive[0]])
      if (naive[0] !== undefined) expect({ ...hit?.values }).toEqual(matchTemplate(naive[0], uri)?.values)
      expect(set.matchAll(uri).map(({ data }) => data)).toEqual(naive)
    }
    expect(matched).toBeGreaterThan(400)
    expect(set.templates.map(({ source }) => source)).toEqual([...there.keys()].sort(compareSpecificity))
  })

  it('counts the hits of a template anew after it was taken out and added again', () => {
    const set = createTemplateSet<string>()
    const remove = set.add('a:{x}', 'first')
    set.match('a:1')
    remove()
    set.add('b:{x}', 'second')
    remove()
    expect(set.match('a:1')).toBeUndefined()
    expect(set.match('b:1')?.data).toBe('second')
    expect(set.metrics().hits).toEqual([{ template: 'b:{x}', hits: 1 }])
  })

  it('forgets a template that is taken out again', () => {
    const set = createTemplateSet<string>()
    const remove = set.add('a:{x}', 'first')
    set.add('a:{x}{?q}', 'second')
    const removeExact = set.addExact('a:1', 'exact')
    expect(set.match('a:1')?.data).toBe('exact')
    removeExact()
    expect(set.match('a:1')?.data).toBe('first')
    remove()
    remove()
    expect(set.match('a:1')?.data).toBe('second')
    expect(set.templates.map(({ source }) => source)).toEqual(['a:{x}{?q}'])
  })

  it('keeps sets apart that add the same template', () => {
    const sets = [filled(['a:{x}']), filled(['a:{x}'])]
    sets[0]?.match('a:1')
    expect(sets.map((set) => set.metrics().hits[0]?.hits)).toEqual([1, 0])
  })

  it('finds an exact URI and a template whose scheme is spelled in another case, and says so', () => {
    const set = filled(['Docs://Catalog/{name}'], ['KBase://Item/1'])
    expect(set.match('KBase://Item/1')?.deviations).toEqual([])
    expect(set.match('kbase://Item/1')).toMatchObject({
      registered: 'KBase://Item/1',
      deviations: [{ code: 'scheme-case' }],
    })
    expect(set.match('kbase://item/1')).toBeUndefined()
    expect(set.match('docs://Catalog/a')).toMatchObject({
      values: { name: 'a' },
      uri: 'docs://Catalog/a',
      deviations: [{ code: 'scheme-case' }],
    })
    expect(set.match('docs://catalog/a')).toBeUndefined()
  })

  it('finds an exact URI in another case of its scheme among templates in lower case', () => {
    const set = filled(['docs://{name}'], ['KBase://Item/1'])
    expect(set.match('kbase://Item/1')?.data).toBe('exact KBase://Item/1')
    expect(set.match('docs://a')?.data).toBe('docs://{name}')
    expect(set.match('kbase://Item/2')).toBeUndefined()
  })

  it('reads naive substitution only where nothing matches strictly, and chooses among no several readings', () => {
    const templates = ['file:///{path}', 'file:///{dir}/{file}']
    expect(filled(templates).match('file:///a/b/c.txt')).toBeUndefined()
    const set = filled(templates, [], { mode: 'tolerant' })
    expect(set.match('file:///a/b')?.data).toBe('file:///{dir}/{file}')
    expect(set.match('file:///a/b/c.txt')).toBeUndefined()
    expect(set.matchAll('file:///a/b/c.txt').map(({ values }) => values)).toContainEqual({
      path: 'a/b/c.txt',
    })
    expect(set.matchAll('file:///a/b/c.txt').map(({ values }) => values)).toContainEqual({
      dir: 'a',
      file: 'b/c.txt',
    })
    expect(set.explain('file:///a/b/c.txt').lines).toHaveLength(3)
    expect(
      filled(['file:///{path}'], [], { mode: 'tolerant' }).match('file:///季度报告/2025 Q1 财务.pdf'),
    ).toMatchObject({
      values: { path: '季度报告/2025 Q1 财务.pdf' },
      deviations: [{ code: 'not-encoded' }, { code: 'raw-slash' }],
    })
  })

  it('reports what is exactly as specific, at the match and as a conflict, or refuses it', () => {
    const set = filled(['a:{x}', 'a:{y}', 'a:{z}b'])
    expect(set.match('a:1')).toMatchObject({ data: 'a:{x}', tied: ['a:{y}'] })
    expect(
      set.conflicts().map(({ templates, equal }) => [...templates.map(({ source }) => source), equal]),
    ).toEqual([
      ['a:{z}b', 'a:{x}', false],
      ['a:{z}b', 'a:{y}', false],
      ['a:{x}', 'a:{y}', true],
    ])
    const strict = filled(['a:{x}', 'a:{z}b'], ['a:1'], { equal: 'refuse' })
    const refusal = (add: () => unknown) => {
      try {
        add()
      } catch (error) {
        return error as TemplateConflictError
      }
      throw new Error('not refused')
    }
    expect(refusal(() => strict.add('a:{y}', ''))).toMatchObject({
      code: 'equal-templates',
      sources: ['a:{y}', 'a:{x}'],
    })
    expect(refusal(() => strict.addExact('a:1', '')).code).toBe('equal-templates')
    expect(strict.match('a:2')).toMatchObject({ data: 'a:{x}', tied: [] })
    strict.add('a:{y}c', 'told apart')
  })

  it.each<TemplateSetOptions>([{}, { mode: 'tolerant' }])(
    'takes a scheme in another case for the same scheme where it looks for conflicts, with %j',
    (options) => {
      const templates = ['DB://x/{a}', 'db://x/{b}', 'dB://x/{a}/c', 'Db://x/1', 'file://x/{a}', 'db://y/{a}']
      const set = filled(templates, [], options)
      const pairs = set
        .conflicts()
        .map(({ templates: [first, second], uri, equal }) => [first.source, second.source, uri, equal])
      expect(pairs).toContainEqual(['DB://x/{a}', 'db://x/{b}', 'db://x/', true])
      expect(pairs).toContainEqual(['Db://x/1', 'db://x/{b}', 'db://x/1', false])
      // In tolerant mode a slash may be part of a value; whether it is does not depend on the case of the scheme.
      const lower = filled(
        templates.map((each) => each.toLowerCase()),
        [],
        options,
      ).conflicts()
      if (options.mode === undefined) expect(pairs).toHaveLength(lower.length)
      expect(set.match('dB://x/2')).toMatchObject({ data: 'DB://x/{a}', tied: ['db://x/{b}'] })
      for (const { templates: both, uri } of set.conflicts())
        for (const template of both) expect(filled([template.source], [], options).match(uri!)).toBeDefined()
    },
  )

  it('refuses what is as specific but for the case of the scheme, where it refuses that', () => {
    const set = filled(['DB://x/{a}', 'db://x/{a}/c'], ['KBase://Item/1'], { equal: 'refuse' })
    expect(() => set.add('db://x/{b}', '')).toThrow(
      expect.objectContaining({ sources: ['db://x/{b}', 'DB://x/{a}'], uri: 'db://x/' }),
    )
    expect(() => set.addExact('kbase://Item/1', '')).toThrow(
      expect.objectContaining({ sources: ['kbase://Item/1', 'KBase://Item/1'] }),
    )
    set.add('db://x/{b}c', 'more specific')
    set.addExact('kbase://item/1', 'another')
  })

  it('finds the conflicts that comparing all pairs finds', () => {
    const random = createRandom(22)
    const templates = [...new Set(Array.from({ length: 40 }, () => `s:${randomTemplate(random, false)}`))]
    const pairs = templates.flatMap((first, at) =>
      templates
        .slice(at + 1)
        .filter((second) => overlap(first, second))
        .map((second) => [first, second].sort().join(' ')),
    )
    const found = filled(templates)
      .conflicts()
      .map(({ templates: [first, second] }) => [first.source, second.source].sort().join(' '))
    expect(found.sort()).toEqual(pairs.sort())
  })

  it('compares few pairs where few templates can meet', () => {
    const templates = Array.from({ length: 1000 }, (_, at) => `db://{database}/t${at}/{id}`)
    const found = filled([...templates, 'db://{database}/t7/{key}']).conflicts()
    expect(found).toMatchObject([{ equal: true, uri: 'db:///t7/' }])
  })

  it('ignores unknown query parameters where told to', () => {
    const set = filled(['list://goods{?page,limit}'], [], { query: { unknown: 'ignore' } })
    expect(set.match('list://goods?page=2&limit=5&utm=x')?.values).toEqual({ page: '2', limit: '5' })
  })

  it('gives up with an error where looking among the templates takes more steps than were allowed', () => {
    const set = createTemplateSet<number>({ limits: { steps: 50_000 } })
    for (let at = 0; at < 100; at += 1) set.add(`x:{+a}${at}{+b}!`, at)
    set.add('x:{plain}', -1)
    const uri = (size: number): string => `x:${'0123456789'.repeat(size)}`
    expect(set.match(uri(1))?.data).toBe(-1)
    expect(() => set.match(uri(100))).toThrow(expect.objectContaining({ code: 'too-many-steps' }))
    expect(set.match(uri(1))?.data).toBe(-1)
  })

  it('takes templates for equally specific that differ in how their literals are spelled', () => {
    const random = createRandom(26)
    const respelled = (template: string): string =>
      template.replace(/^s:|\{[^}]*\}|%..|[a-z~]/g, (piece) => {
        if (/^(?:{|s:)/.test(piece) || random(2) === 0) return piece
        return piece[0] === '%' ? piece.toLowerCase() : `%${piece.charCodeAt(0).toString(16)}`
      })
    const templates = Array.from({ length: 40 }, () => `s:~${randomTemplate(random, false)}%C3%A9`)
    let respelt = 0
    for (const [at, template] of templates.entries()) {
      const other = respelled(template)
      for (const third of templates.slice(at + 1)) {
        const orders = [template, other].map((each) => compareShape(toTemplate(each), toTemplate(third)))
        expect([template, other, third, orders[0]]).toEqual([template, other, third, orders[1]])
      }
      if (template === other) continue
      respelt += 1
      const uri = tryExpand(other, { v: 'a', w: 'a', x: 'a' })!
      const [first, second] = [template, other].sort()
      expect(filled([template, other]).match(uri)).toMatchObject({ data: first, tied: [second] })
      expect(filled([template, other]).conflicts()).toMatchObject([{ equal: true }])
      expect(() => filled([template, other], [], { equal: 'refuse' })).toThrow(/equally specific/)
    }
    expect(respelt).toBeGreaterThan(20)
    // Every URI of the first is one of the second.
    for (const wider of ['docs://~bob/{+path}', 'docs://%7Ebob/{+path}'])
      expect(filled(['docs://~bob/{name}', wider]).match('docs://~bob/x')?.data).toBe('docs://~bob/{name}')
  })

  it('orders templates totally, whatever they are', () => {
    const random = createRandom(23)
    const templates = [...new Set(Array.from({ length: 60 }, () => randomTemplate(random, true)))]
    const sorted = [...templates].sort(compareSpecificity)
    for (let tried = 0; tried < 5; tried += 1)
      expect(shuffled(templates, random).sort(compareSpecificity)).toEqual(sorted)
    for (const [at, first] of sorted.entries())
      for (const second of sorted.slice(at + 1)) {
        expect(compareSpecificity(first, second)).toBeLessThan(0)
        expect(compareSpecificity(second, first)).toBeGreaterThan(0)
      }
  })
})

describe('metrics', () => {
  it('counts failures of matching, decoding and locating, hits, and what is never hit, each with its usual cause', () => {
    const set = filled(['a:{x}', 'b:{y}'], ['c:1'])
    for (const uri of ['a:1', 'a:2', 'c:1', 'd:1', 'a:%zz', 'a:%FF']) set.match(uri)
    set.reportLocated(true)
    set.reportLocated(false)
    const metrics = set.metrics()
    expect(metrics.match).toMatchObject({ failures: 3, of: 6, rate: 0.5 })
    expect(metrics.decode).toMatchObject({ failures: 2, of: 6 })
    expect(metrics.locate).toMatchObject({ failures: 1, of: 2, rate: 0.5 })
    expect(metrics.hits).toEqual([
      { template: 'c:1', hits: 1 },
      { template: 'a:{x}', hits: 2 },
      { template: 'b:{y}', hits: 0 },
    ])
    expect(metrics.neverHit).toEqual(['b:{y}'])
    expect(metrics.match.usualCause).toContain('expands')
    expect(metrics.decode.usualCause).toContain('encoded')
    expect(metrics.locate.usualCause).toContain('business data')
    expect(metrics.neverHitUsualCause).toContain('operator')
  })
})
