import type { Token } from './meant-tokens.ts'
import { decodeStrictly } from './percent-decode.ts'
import { encodeUnreserved } from './percent-encode.ts'
import { misspellings, type Spelling } from './spellings.ts'
import type { UriFaultCode } from './uri-finding.ts'

/** One step of a reading: some tokens stand for a stretch of the received text. */
export interface Step {
  /** The first token, and the one after the last. */
  readonly token: number
  readonly nextToken: number
  /** The stretch, in UTF-16 code units. */
  readonly index: number
  readonly end: number
  /** The mistakes; none where it is written rightly. */
  readonly codes: readonly UriFaultCode[]
}

/** How a received text can be had from the tokens that were meant. */
export interface Alignment {
  /** The less, the more of it known mistakes explain. */
  readonly cost: number
  readonly steps: readonly Step[]
}

interface Texts {
  readonly tokens: readonly Token[]
  readonly received: string
  /** Whether a segment begins with a dot, so that dot segments are worth looking for. */
  readonly dotted: boolean
}

interface State {
  readonly token: number
  readonly at: number
  readonly cost: number
  /** Whether the rightly written continuation has been followed already. */
  readonly late: boolean
  readonly before: State | undefined
  readonly step: Step | undefined
}

/** How many tokens are decided at a time, with as many looked at beyond them. */
const span = 16
/** How many states are looked at for that, before the rest counts as other text altogether. */
const effort = 2_000
/** The price of a difference that no known mistake explains, and of giving up. */
const unknown = 8
const hopeless = 50
/** How many such differences are gone into before giving up. */
const tolerated = 8

/** Every way to read one token at `at` by known mistakes: each character of each normalization form of it. */
function* readings(token: Token, received: string, at: number): Generator<Spelling> {
  for (const form of new Set([token.chars, token.chars.normalize('NFC'), token.chars.normalize('NFD')])) {
    const same = form === token.chars
    let partial: Spelling[] = [{ length: 0, cost: same ? 0 : 1, codes: same ? [] : ['normalization'] }]
    for (const character of form) {
      const written = token.text === token.chars ? character : safeEncode(character)
      partial = partial.flatMap((start) => {
        const from = at + start.length
        const next = misspellings(character, written, token.area, received, from)
        if (received.startsWith(written, from)) next.unshift({ length: written.length, cost: 0, codes: [] })
        return next.map(({ length, cost, codes }) => ({
          length: start.length + length,
          cost: start.cost + cost,
          codes: [...start.codes, ...codes],
        }))
      })
      partial.length = Math.min(partial.length, 8)
    }
    yield* partial
  }
}

function safeEncode(character: string): string {
  try {
    return encodeUnreserved(character)
  } catch {
    return character
  }
}

/** The token after the dot segments that start at the slash `token`, resolved as RFC 3986 section 5.2.4 has it. */
function afterDots(tokens: readonly Token[], token: number): number | undefined {
  const atRoot = tokens[token - 1]?.area !== 'rest'
  let depth = 0
  let result: number | undefined
  for (let at = token; tokens[at]?.chars === '/' && at < token + 1_000; ) {
    let segment = ''
    for (
      at += 1;
      at < tokens.length && !/^[?#]$/.test(tokens[at]!.text) && tokens[at]!.chars !== '/';
      at += 1
    )
      segment += tokens[at]!.chars
    if (segment === '..') depth -= 1
    else if (segment !== '.') depth += 1
    if (depth < 0 && atRoot) depth = 0
    if (depth < 0 || (depth > 0 && result !== undefined)) break
    if (depth > 0 || !/^\.\.?$/.test(segment)) continue
    result = at
    if (!atRoot) break
  }
  return result
}

/**
 * Finds the cheapest explanation of `received` as a misspelling of `tokens`: a shortest path over pairs of places in
 * both, decided a stretch at a time, so that the work grows with the length of the texts and no faster. A kind of
 * mistake is paid for once. `undefined` where the cost is more than `atMost`.
 */
export function align(tokens: readonly Token[], received: string, atMost: number): Alignment | undefined {
  const dotted = tokens.some(({ chars }, index) => chars === '.' && tokens[index - 1]?.chars === '/')
  const texts: Texts = { tokens, received, dotted }
  const steps: Step[] = []
  const paid = new Set<UriFaultCode>()
  let token = 0
  let at = 0
  let spent = 0
  let unexplained = 0
  while (spent <= atMost) {
    const reached = unexplained > tolerated ? undefined : search(texts, token, at, paid)
    if (reached === undefined) {
      steps.push({ token, nextToken: tokens.length, index: at, end: received.length, codes: ['different'] })
      spent += hopeless
      return spent <= atMost ? { cost: spent, steps } : undefined
    }
    const path: State[] = []
    for (let state: State = reached; state.before !== undefined; state = state.before) path.push(state)
    const isEnd = reached.token === tokens.length && reached.at === received.length
    let last = reached
    for (const state of path.reverse()) {
      last = state
      if (state.step !== undefined) steps.push(state.step)
      for (const code of state.step?.codes ?? [])
        if (code === 'different') unexplained += 1
        else paid.add(code)
      if (!isEnd && state.token >= token + span) break
    }
    spent += last.cost
    token = last.token
    at = last.at
    if (isEnd) return spent <= atMost ? { cost: spent, steps } : undefined
  }
  return undefined
}

/** The cheapest way from one pair of places to the end, or to two spans further on. */
function search(
  texts: Texts,
  firstToken: number,
  firstAt: number,
  paid: ReadonlySet<UriFaultCode>,
): State | undefined {
  const { tokens, received } = texts
  const start: State = {
    token: firstToken,
    at: firstAt,
    cost: 0,
    late: false,
    before: undefined,
    step: undefined,
  }
  const queue: State[][] = [[start]]
  const push = (state: State): void => {
    queue[state.cost] ??= []
    queue[state.cost]!.push(state)
  }
  const done = new Set<string>()
  for (let cost = 0; cost < queue.length; cost += 1) {
    for (let state = queue[cost]?.pop(); state !== undefined; state = queue[cost]?.pop()) {
      const { token, at, late } = state
      const key = `${token} ${at} ${late}`
      if (done.has(key)) continue
      if (done.add(key).size > effort) return undefined
      if (token >= firstToken + 2 * span || (token === tokens.length && at === received.length)) return state
      const from = late ? state.before! : state
      const go = (nextToken: number, end: number, price: number, codes: readonly UriFaultCode[]): void => {
        const known = codes.every((code) => paid.has(code)) ? 0 : price
        const step = { token, nextToken, index: at, end, codes }
        // A late state has paid one already.
        const total = cost + Math.max(0, late ? known - 1 : known)
        push({ token: nextToken, at: end, cost: total, late: false, before: from, step })
      }
      const expected = tokens[token]
      if (!late && expected !== undefined && received.startsWith(expected.text, at)) {
        push({ token, at, cost: cost + 1, late: true, before: state, step: undefined })
        go(token + 1, at + expected.text.length, 0, [])
      } else explain(texts, token, at, go)
    }
  }
  return undefined
}

type Go = (nextToken: number, end: number, price: number, codes: readonly UriFaultCode[]) => void

/** Offers every known mistake at one place, each at a price of one or more. */
function explain({ tokens, received, dotted }: Texts, token: number, at: number, go: Go): void {
  const expected = tokens[token]
  const before = tokens[token - 1]
  const endsAuthority = before?.area === 'authority' && expected?.area !== 'authority'
  if (received[at] === '/' && expected?.text !== '/' && (endsAuthority || at === received.length - 1))
    go(token, at + 1, endsAuthority ? 1 : 2, ['slash-added'])
  if (expected === undefined) {
    go(token, received.length, 12, ['different'])
    return
  }
  for (const { length, cost, codes } of readings(expected, received, at))
    if (cost > 0) go(token + 1, at + length, cost, codes)
  if (expected.chars === '%') decodedTwice(tokens, token, received, at, go)
  if (expected.chars === '/') {
    const after = dotted ? afterDots(tokens, token) : undefined
    if (after !== undefined) {
      if (after < tokens.length && tokens[after]!.chars === '/') go(after, at, 1, ['dots-collapsed'])
      else if (received[at] === '/') go(after, at + 1, 1, ['dots-collapsed'])
    }
    if (before?.text === '/' || token === tokens.length - 1) go(token + 1, at, 2, ['slash-dropped'])
  }
  if (expected.text === ':' && expected.area === 'authority') {
    let end = token + 1
    while (tokens[end]?.area === 'authority' && /^\d$/.test(tokens[end]!.text)) end += 1
    if (end > token + 1 && tokens[end]?.area !== 'authority') go(end, at, 1, ['port-dropped'])
  }
  if (at === received.length || (endsPath(expected) && '?#'.includes(received[at]!)))
    cutShort(tokens, token, at, go)
  go(token + 1, at + (received.codePointAt(at)! > 0xffff ? 2 : 1), at < received.length ? unknown : 1_000, [
    'different',
  ])
  go(token + 1, at, unknown - 2, ['different'])
  if (at < received.length) go(token, at + 1, unknown - 2, ['different'])
}

const endsPath = ({ text, chars }: Token): boolean => text !== chars && (chars === '?' || chars === '#')

/** The received text ends here, though more was meant. */
function cutShort(tokens: readonly Token[], token: number, at: number, go: Go): void {
  const { text, chars } = tokens[token]!
  if (chars !== '?' && chars !== '#') {
    go(tokens.length, at, 12, ['different'])
    return
  }
  if (text !== chars) {
    const next = tokens.findIndex((other, index) => index > token && /^[?#]$/.test(other.text))
    go(next < 0 ? tokens.length : next, at, 2, ['cut-at-delimiter'])
    if (next >= 0) go(tokens.length, at, 2, ['cut-at-delimiter'])
  } else go(tokens.length, at, 2, [chars === '?' ? 'query-dropped' : 'fragment-dropped'])
}

/** A name that holds `%XX` itself, read as what that stands for. */
function decodedTwice(tokens: readonly Token[], token: number, received: string, at: number, go: Go): void {
  for (let count = 1; count <= 4; count += 1) {
    const end = token + 3 * count
    if (end > tokens.length) return
    const inner = tokens
      .slice(token, end)
      .map(({ chars }) => chars)
      .join('')
    if (!/^(%[0-9a-f]{2})+$/i.test(inner)) return
    const character = decodeStrictly(inner)
    if (character !== undefined && [...character].length === 1 && received.startsWith(character, at))
      go(end, at + character.length, 1, ['decoded-twice'])
  }
}
