import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Candidate } from './candidate.ts'
import { chooseDocument } from './choose-document.ts'

const document = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  server: 'kb',
  name,
  also: [],
  uri: `docs://catalog/${encodeURIComponent(name)}`,
  from: { kind: 'listed' },
  ...more,
})
const names = ['Отчёт май', 'Отчёт май/июнь', '季度报告/2025 Q1 财务.pdf', 'a+b', '100%', '%2F', '/']
const library = names.map((name) => document(name))

const chosen = (asked: string, candidates = library): string | readonly string[] => {
  const choice = chooseDocument(asked, candidates)
  if (choice.kind === 'one') return choice.candidate.name
  return choice.kind === 'none' ? [] : [choice.kind, ...choice.candidates.map(({ name }) => name)]
}

describe('choosing a document by its name', () => {
  it.each(names)('finds %s by its own name and nothing else', (name) => expect(chosen(name)).toBe(name))

  it.each([
    ['ОТЧЁТ МАЙ', 'Отчёт май'],
    ['отчёт   май', 'Отчёт май'],
    ['Отчёт май/июнь'.normalize('NFD'), 'Отчёт май/июнь'],
    ['отчет май', 'Отчёт май'],
    ['A+B', 'a+b'],
    ['季度报告/2025 q1 财务.PDF', '季度报告/2025 Q1 财务.pdf'],
  ])('finds what %s means: %s, spelt as the server spells it', (asked, name) =>
    expect(chosen(asked)).toBe(name),
  )

  it.each(['a b', '%2f', 'Отчёт+май', '100%25', ''])('does not read %j as something else', (asked) => {
    const choice = chooseDocument(asked, library)
    if (choice.kind === 'one') expect(choice.candidate.name).toBe('%2F')
    else expect(['none', 'suggestions']).toContain(choice.kind)
  })

  it('suggests what contains the words, and chooses none of it, even where there is only one', () => {
    expect(chosen('июнь')).toEqual(['suggestions', 'Отчёт май/июнь'])
    expect(chosen('май отчёт')).toEqual(['suggestions', 'Отчёт май', 'Отчёт май/июнь'])
    expect(chosen('nothing like it')).toEqual([])
  })

  it('lists names that differ only in what was forgiven, and finds each by its exact spelling', () => {
    const twins = [document('Readme'), document('README')]
    expect(chosen('readme', twins)).toEqual(['several', 'Readme', 'README'])
    expect(chosen('README', twins)).toBe('README')
  })

  it('lists one name on two servers', () => {
    const both = [document('Plan', { server: 'a' }), document('Plan', { server: 'b' })]
    expect(chosen('Plan', both)).toEqual(['several', 'Plan', 'Plan'])
  })

  it('takes one URI on one server for one document, however often it was seen', () => {
    const from = { kind: 'template', template: 't', values: { name: 'Plan' } } as const
    const seen = [document('Plan'), document('Plan', { from })]
    expect(chooseDocument('plan', seen)).toEqual({
      kind: 'one',
      candidate: expect.objectContaining({ from: { kind: 'listed' } }),
    })
  })

  it('finds a file by the last part of its path or by its title, after names', () => {
    const file = document('guide/open risks.md', { also: ['open risks.md'] })
    const titled = document('r-7', { also: ['Open risks'] })
    expect(chosen('Open Risks.md', [file, titled])).toBe('guide/open risks.md')
    expect(chosen('open risks', [file, titled])).toBe('r-7')
    expect(chosen('open risks.md', [file, document('OPEN RISKS.MD')])).toBe('OPEN RISKS.MD')
  })

  it('always gives a candidate as it came, and the exact name wins over every other', () => {
    const some = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(some, fc.nat(), (all, at) => {
        const candidates = [...new Set(all)].map((name, index) => document(name, { uri: `x:${index}` }))
        const asked = candidates[at % candidates.length] as Candidate
        expect(chooseDocument(asked.name, candidates)).toEqual({ kind: 'one', candidate: asked })
      }),
    )
  })
})
