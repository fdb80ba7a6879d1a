import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ApprovalFacts, describeApproval, describeRequest } from './approval-text.ts'
import { memoryApprovals } from './approvals.ts'
import { bindingOf } from './binding.ts'

const facts = (more: Partial<ApprovalFacts> = {}): ApprovalFacts => ({
  key: { server: 'shop-a', kind: 'tool', name: 'search' },
  args: { q: 'tea', limit: 10 },
  pin: { state: 'approved', digest: 'ab'.repeat(32) },
  profile: 'default',
  origin: { command: 'npx', args: ['-y', 'shop-mcp@1.2.0', '--root', '/my shop'] },
  rule: 'default:tool',
  reason: 'no rule matches',
  ...more,
})

describe('the approval screen', () => {
  it('shows server, origin, name, arguments, pin and the claims of the server, in that order', () => {
    const claims = { title: 'Search', description: 'Finds things.', annotations: { readOnlyHint: true } }
    expect(describeApproval(facts({ claims })).text).toBe(
      [
        'Allow this?',
        '  server         shop-a',
        '  from           npx -y shop-mcp@1.2.0 --root "/my shop"',
        '  tool           search',
        `  definition     approved, exactly this definition: sha-256 ${'ab'.repeat(32)}`,
        '  caller         profile default',
        '  asked because  no rule matches [default:tool]',
        'With the arguments',
        '  /q             "tea"',
        '  /limit         10',
        'The server says of it (not checked)',
        '  title          "Search"',
        '  readOnlyHint   true',
        '  description    "Finds things."',
      ].join('\n'),
    )
  })

  it.each([
    [{ state: 'held', field: 'description', reason: 'changed' }, 'HELD: description'],
    [{ state: 'unknown' }, 'UNKNOWN'],
    [{ state: 'live' }, 'NOT PINNED'],
  ] as const)('says that the pin is %j', (pin, says) => {
    expect(describeApproval(facts({ pin })).text).toContain(says)
  })

  it('says where a server comes from, or that it is not known', () => {
    expect(describeApproval(facts({ origin: { url: 'https://shop.example/mcp' } })).text).toContain(
      'https://shop.example/mcp',
    )
    expect(describeApproval(facts({ origin: undefined })).text).toMatch(/from +\(not known\)/)
    const long = `--flag=${'x'.repeat(5000)}`
    expect(describeApproval(facts({ origin: { command: 'x', args: [long] } })).text).toContain(long)
  })

  // The places and characters of a real report: tag characters, also behind a flag, zero width, bidi, escapes.
  const hostile = [
    'a\u{E0041}\u{E007F}b',
    '\u{1F3F4}\u{E0069}\u{E0067}\u{E006E}',
    'a\u200b\u2060b',
    '\u202Eevil\u2066',
    '\u001b[2Jcleared',
    '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
    '\u001b]0;title\u0007',
    'line\r\n  definition     approved',
    'a\u2028b\u0085c\u00ad',
  ]
  it.each(hostile.map((text) => [JSON.stringify(text), text]))(
    'makes hidden characters visible, wherever they stand: %s',
    (_, text) => {
      const { text: shown, lines } = describeApproval(
        facts({
          key: { server: text, kind: 'tool', name: text },
          args: { [text]: text, deep: [{ [text]: [text] }] },
          pin: { state: 'held', field: text, reason: text },
          profile: text,
          origin: { command: text, args: [text], cwd: text },
          reason: text,
          claims: { title: text, description: text, annotations: { [text]: text } },
        }),
        { fold: false },
      )
      expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(shown.split('\n')).toHaveLength(lines.length + 3)
      expect(shown).toMatch(/U\+|\\u/)
    },
  )

  it('gives no text a line of its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, args) => {
        const view = describeApproval(
          facts({
            key: { server: text, kind: 'tool', name: text },
            args,
            reason: text,
            claims: { description: text },
          }),
        )
        expect(view.text.split('\n')).toHaveLength(view.lines.length + 3)
      }),
    )
  })

  it('folds long values and says so, with what is needed to see all of it', () => {
    const value = `${'a'.repeat(5000)}😀${'z'.repeat(5000)}`
    const view = describeApproval(facts({ args: { q: value, short: 'x' } }), { fold: 300 })
    expect(view.folded).toMatchObject([{ of: '/q', length: value.length + 2 }])
    const [folded] = view.folded
    expect(view.text).toContain(`of ${value.length + 2} characters folded, sha-256 ${folded?.digest}`)
    expect(view.text).toMatch(/"a{10,}.*z{10,}"/)
    expect(describeApproval(facts({ args: { q: value } }), { fold: false }).text).toContain(value)
    expect(describeApproval(facts({ args: { q: value } }), { fold: false }).folded).toEqual([])
  })

  it('never parts a character in two when it folds', () => {
    for (let most = 5; most < 40; most += 1) {
      const { text } = describeApproval(facts({ args: { q: '😀'.repeat(60) } }), { fold: most })
      expect(text).not.toMatch(/U\+D[89A-F]/)
    }
  })

  it('folds many values and says how many', () => {
    const args = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`n${at}`, at]))
    const view = describeApproval(facts({ args }))
    expect(view.text).toContain('960 of 1000 values, sha-256 of all arguments')
    expect(view.text).toContain('/n0 ')
    expect(view.text).toContain('/n999 ')
    expect(view.folded).toHaveLength(1)
    const whole = describeApproval(facts({ args }), { fold: false })
    expect(whole.lines.filter((line) => line.part === 'arguments')).toHaveLength(1000)
  })

  it('shows an open question as the facts it was asked with', async () => {
    const { key, args, profile, rule, reason, origin } = facts()
    const pin = { state: 'live', digest: 'd1' } as const
    const approvals = memoryApprovals()
    const binding = bindingOf({ key, args, pin, caller: { profile } })
    const request = await approvals.ask({ binding, args, pin, rule, reason })
    const claims = { title: 'Search' }
    expect(describeRequest(request, { origin, claims })).toEqual(describeApproval(facts({ pin, claims })))
    expect(describeRequest(request).text).toContain('(not known)')
  })

  it('shows each value of the arguments once, empty ones too', () => {
    const args = { a: [], b: {}, c: null, d: [{ 'e/f~': false }], '': '' }
    const shown = describeApproval(facts({ args })).lines.filter((line) => line.part === 'arguments')
    expect(shown.map(({ label, text }) => [label, text])).toEqual([
      ['/a', '[]'],
      ['/b', '{}'],
      ['/c', 'null'],
      ['/d/0/e~1f~0', 'false'],
      ['/', '""'],
    ])
    expect(describeApproval(facts({ args: {} })).text).toContain('(none)')
    expect(describeApproval(facts({ args: undefined })).text).toContain('(none)')
  })
})
