import { describe, expect, it } from 'vitest'
import { describeTemplate } from './describe-template.ts'
import { lintTemplates } from './lint.ts'
import { createRandom, randomTemplate } from './testing/brute-force.ts'

const codes = (...templates: string[]) =>
  lintTemplates(templates).map(({ code, templates: of }) => `${code} ${of.join(' ')}`)

describe('lintTemplates', () => {
  it('advises a path expression where a simple variable is named like a path, with what expansion does to it', () => {
    const finding = lintTemplates(['file:///{path}']).find(({ code }) => code === 'path-in-simple-variable')
    expect(finding).toMatchObject({ severity: 'warning', uri: 'file:///a%2Fb' })
    expect(finding?.fix).toContain('{+path}')
    expect(finding?.fix).toContain('{/path*}')
    expect(codes('docs://catalog/{name}')).toEqual([])
  })

  it('warns of a pair that overlaps only where clients do not encode, in strict mode too', () => {
    const pair = ['file:///{path}', 'file:///{dir}/{file}'] as const
    expect(codes(...pair)).toContain(`tolerant-overlap ${pair.join(' ')}`)
    expect(codes('file:///{+path}', pair[1])).toContain(`overlap file:///{+path} ${pair[1]}`)
    expect(
      codes('file:///{path}', 'tree:///{dir}/{file}').filter((code) => code.includes('overlap')),
    ).toEqual([])
  })

  it('warns that {+v} lets ? and # through, more so before a query', () => {
    const severity = (template: string) =>
      lintTemplates([template]).find(({ code }) => code === 'reserved-lets-delimiters-through')?.severity
    expect(severity('file:///{+path}')).toBe('advice')
    expect(severity('file:///{+path}{?rev}')).toBe('warning')
    expect(severity('file://{/path*}')).toBeUndefined()
  })

  it('shows two value sets where a template cannot be read back', () => {
    const finding = lintTemplates(['x:{a}{b}']).find(({ code }) => code === 'ambiguous')
    expect(finding?.uri).toBe('x:a')
    expect(finding?.reason).toContain('{"a":"a"}')
  })

  it('advises against an ambiguity what helps', () => {
    const fixOf = (template: string) =>
      lintTemplates([template]).find(({ code }) => code === 'ambiguous')?.fix
    /** What following the advice makes of all expressions that it can be about. */
    const follow: readonly (readonly [fix: RegExp, pattern: RegExp, by: string])[] = [
      [/in full/, /:\d/g, ''],
      [/between/, /\{[+#]/g, '{'],
      [/between/, /\{\.(?=[^}]*\*)/g, '{/'],
      [/between/, /\{(?![?&;])([./]?)([^},]+),/g, '{$1$2}{$1'],
      [/between/, /\}(?=\{)/g, '}:'],
      // What a literal between two expressions holds already, a value or an operator can write too.
      [/between/, /(?<=\})[^{}:]+(?=\{)/g, ':'],
    ]
    const random = createRandom(71)
    const seen = new Set<string>()
    for (let tried = 0; tried < 300; tried += 1) {
      const first = `s:${randomTemplate(random, false)}`
      let template = first
      let fix = fixOf(template)
      for (let round = 0; fix !== undefined && round < 4; round += 1) {
        for (const [advice, pattern, by] of follow)
          for (let again = ''; advice.test(fix) && again !== template; ) {
            again = template
            template = template.replace(pattern, by)
            seen.add(advice.source)
          }
        fix = fixOf(template)
      }
      expect([first, template, fix]).toEqual([first, template, undefined])
    }
    expect(seen.size).toBe(2)
    expect(fixOf('z:{a:3}')).toBe('write {a} in full')
    expect(fixOf('x:{v}{v}')).toBe('use every variable once')
  })

  it('states the level a client needs, literals to encode, shared prefixes and mixed families', () => {
    expect(codes('list://goods{?page}')).toEqual(['level list://goods{?page}'])
    const literal = lintTemplates(['file:///docs/café/{name}'])
    expect(literal).toMatchObject([{ code: 'unencoded-literal', fix: 'write file:///docs/caf%C3%A9/{name}' }])
    expect(codes('db://{a}/x', 'db://{a}/y')).toEqual(['shared-prefix db://{a}/x db://{a}/y'])
    expect(codes('s://n/{name}', 's://p{/parts*}')).toContain(
      'scheme-of-several-families s://n/{name} s://p{/parts*}',
    )
    expect(codes('DB://~a/{a}/x', 'db://%7ea/{b}/y')).toEqual(['shared-prefix DB://~a/{a}/x db://%7ea/{b}/y'])
    expect(codes('S://n/{name}', 's://p{/parts*}')).toContain(
      'scheme-of-several-families S://n/{name} s://p{/parts*}',
    )
    expect(codes('{+url}')).toContain('no-scheme {+url}')
  })

  it('makes a finding of a text that is no template', () => {
    const many = 'x:{w}'.repeat(10_000)
    expect(lintTemplates(['x:{v', 'x:{w}', many])).toMatchObject([
      { code: 'syntax', severity: 'error', templates: ['x:{v'] },
      { code: 'syntax', severity: 'error', templates: [many] },
    ])
  })

  it('has a fix for every finding', () => {
    for (const { fix } of lintTemplates(['{+path}{?a}', 'x:{a}{b}', 'x:{path}', 'x:é{/a,b}', '}']))
      expect(fix).not.toBe('')
  })
})

describe('describeTemplate', () => {
  it('states operators and the form of identifier', () => {
    expect(describeTemplate('tree://docs{/path*}{?rev}{#line}')).toMatchObject({
      level: 4,
      scheme: 'tree:',
      form: 'path',
      expressions: [
        { text: '{/path*}', operator: '/', form: 'path' },
        { text: '{?rev}', operator: '?', form: 'query' },
        { text: '{#line}', operator: '#', form: 'fragment' },
      ],
    })
    expect(describeTemplate('docs://catalog/{name}')).toMatchObject({ level: 1, form: 'name' })
  })
})
